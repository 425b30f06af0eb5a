init {
here: // error[E0121]: a label cannot stand before a declaration
  int x;
  x = 1;
  goto here
}
