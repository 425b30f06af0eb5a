inline set(a, b) { a = b }
init {
  int x;
  set(x) // error[E0112]: inline `set` takes 2 arguments, but 1 is given
}
