init {
  3 = 4 // error[E0006]: only a variable can be assigned, and only as a statement
}
