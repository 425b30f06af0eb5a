init {
  d_step {
    skip;
    goto outside // error[E0117]: a jump out of a `d_step`
  };
outside:
  skip
}
