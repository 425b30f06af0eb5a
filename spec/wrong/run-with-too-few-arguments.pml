proctype P(int a, b) { a = b }
init {
  run P(1) // error[E0201]: this proctype takes 2 arguments, but 1 is given
}
