int x, y;
init {
  x = y = 1 // error[E0006]: only a variable can be assigned, and only as a statement
}
