int x;
init {
  x[1] = 3 // error[E0127]: `x` is not an array
}
