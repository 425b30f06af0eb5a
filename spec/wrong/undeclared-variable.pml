init {
  count = 1 // error[E0101]: `count` is not declared
}
