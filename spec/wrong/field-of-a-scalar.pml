int s;
init {
  s.value = 1 // error[E0108]: `s` is not a struct: it has no field `value`
}
