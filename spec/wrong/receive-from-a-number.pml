byte c;
init {
  c?_ // error[E0215]: `c` is not a channel
}
