int x;
init {
  (x = 1) // error[E0001]: expected `)`, found `=`
}
