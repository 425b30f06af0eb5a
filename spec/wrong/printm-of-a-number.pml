init {
  printm(3) // error[E0217]: `printm` prints the name of an mtype value, not a number
}
