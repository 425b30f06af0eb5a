byte x, y;
init {
  while (x < 3) { // error[E0001]: there is no statement or inline `while`
    y := 1; // error[E0001]: `:=` is no operator
    break
  }
  while (x = 3) // error[E0001]: there is no statement or inline `while` // error[E0001]: expected `)`, found `=`
  {
    z++ // error[E0101]: `z` is not declared
  }
  y = x
}
