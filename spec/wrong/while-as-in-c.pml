byte x;
init {
  while (x < 3) { // error[E0001]: there is no statement or inline `while`
    x++
  }
}
