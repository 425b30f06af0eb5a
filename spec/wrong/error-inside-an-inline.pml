inline f(a) {
  a = undefined // error[E0101]: `undefined` is not declared
}
init {
  int x;
  f(x);
  f(x)
}
