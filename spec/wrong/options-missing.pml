init {
  if fi // error[E0001]: expected `::` and an option, found `fi`
}
