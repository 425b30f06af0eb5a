byte b = 300; // warning[W0305]: 300 does not fit into `b` (0 to 255): 44 is stored
bit flag;
init {
  b = -1; // warning[W0305]: -1 does not fit into `b` (0 to 255): 255 is stored
  flag = 2 // warning[W0305]: 2 does not fit into `flag` (0 to 1): 0 is stored
}
