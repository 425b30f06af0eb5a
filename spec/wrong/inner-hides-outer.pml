init {
  int x;
  {
    byte x; // error[E0102]: `x` is declared twice
    x = 1
  };
  x = 2
}
