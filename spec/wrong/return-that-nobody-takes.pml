inline f() { return 1 } // error[E0111]: the value of this `return` is not assigned: the inline is called as a statement
init {
  f()
}
