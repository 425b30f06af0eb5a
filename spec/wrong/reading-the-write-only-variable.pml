int x;
init {
  x = _ + 1 // error[E0106]: `_` has no value
}
