byte x;
init {
  do
  :: x > 0 -> break
  fi // error[E0001]: expected `od`, found `fi`
}
