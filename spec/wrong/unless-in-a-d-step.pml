byte x;
init {
  d_step {
    x = 1;
    { x = 2 } unless { x == 3 } // warning[W0132]: `unless` has no effect in a `d_step`
  }
}
