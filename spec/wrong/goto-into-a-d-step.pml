init {
  goto inside; // error[E0117]: a jump into a `d_step`
  d_step {
    skip;
  inside:
    skip
  }
}
