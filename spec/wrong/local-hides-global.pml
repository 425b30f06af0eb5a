int x;
init {
  int x; // error[E0102]: `x` is declared twice
  x = 1
}
