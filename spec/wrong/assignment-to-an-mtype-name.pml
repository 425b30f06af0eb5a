mtype = { red, green };
init {
  red = green // error[E0006]: only a variable can be assigned, and only as a statement
}
