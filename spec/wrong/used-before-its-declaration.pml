active proctype P() {
  x = 1 // error[E0101]: `x` is not declared
}
int x;
