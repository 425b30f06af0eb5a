int x;
init {
  x = 1 + 2
    + 3 // error[E0001]: expected an expression, found `+`
}
