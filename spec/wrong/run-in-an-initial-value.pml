proctype P() { skip }
init {
  int x = run P(); // error[E0202]: `run` cannot be used in an initial value
  x++
}
