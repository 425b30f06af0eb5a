proctype P() { skip }
byte x;
init {
  run P() && x == 0 // error[E0202]: `run` cannot be part of a larger condition
}
