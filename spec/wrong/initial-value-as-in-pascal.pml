init {
  byte x := 3; // error[E0001]: `:=` is no operator
  x = 4
}
