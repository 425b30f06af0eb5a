proctype P() { skip }
init {
  d_step { run P() } // error[E0218]: `run` cannot be used in a `d_step`
}
