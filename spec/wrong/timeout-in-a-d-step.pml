init {
  d_step { skip; timeout } // warning[W0134]: `timeout` in a `d_step`
}
