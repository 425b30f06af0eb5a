inline f(a) { skip }
init {
  f(nobody) // error[E0101]: `nobody` is not declared
}
