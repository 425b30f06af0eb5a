inline f() { skip }
init {
  int x;
  x = 1 + f() // error[E0001]: expected an expression, but `f` is an inline
}
