byte c;
init {
  xr c; // error[E0204]: `c` is not a channel
  c = 1
}
