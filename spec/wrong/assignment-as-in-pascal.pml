byte x;
init {
  x := 3; // error[E0001]: `:=` is no operator
  x = 4
}
