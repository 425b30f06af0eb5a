inline f() { skip; f() } // error[E0110]: inline `f` calls itself
init {
  f()
}
