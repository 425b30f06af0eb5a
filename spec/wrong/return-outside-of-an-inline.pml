init {
  return 1 // error[E0111]: `return` outside of an inline
}
