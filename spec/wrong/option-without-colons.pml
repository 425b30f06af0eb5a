byte x;
init {
  do x < 3 -> x++ // error[E0001]: expected `::` and an option, found `x`
  :: else -> break
  od
}
