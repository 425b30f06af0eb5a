proctype P(int a) { a++ }
init {
  run P(1, 2) // error[E0201]: this proctype takes 1 argument, but 2 are given
}
