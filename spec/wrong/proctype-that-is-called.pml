proctype p() { skip }
init {
  p(); // error[E0001]: `p` is a proctype: it is not called but started
  run p()
}
