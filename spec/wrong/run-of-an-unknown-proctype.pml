proctype Worker() { skip }
init {
  run Wroker(); // error[E0101]: there is no proctype `Wroker`
  run Worker()
}
