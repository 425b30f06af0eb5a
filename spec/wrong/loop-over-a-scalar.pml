byte x, i;
init {
  for (i in x) { skip } // error[E0214]: `x` is neither an array nor a channel
}
