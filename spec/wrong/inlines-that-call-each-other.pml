inline g() { skip; f() } // error[E0110]: inline `f` calls itself
inline f() { skip; g() }
init {
  f()
}
