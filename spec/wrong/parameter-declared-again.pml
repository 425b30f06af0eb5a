proctype P(int x) {
  int x; // error[E0102]: `x` is declared twice
  x = 1
}
init { run P(1) }
