chan c = [1] of { byte };
init {
  c!300; // warning[W0305]: 300 does not fit into the message field (0 to 255): it becomes 44
  c?1
}
