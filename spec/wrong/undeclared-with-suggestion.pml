byte counter;
init {
  cuonter = 1; // error[E0101]: `cuonter` is not declared
  counter = 2
}
