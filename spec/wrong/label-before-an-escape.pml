init {
  skip unless here: timeout; // error[E0120]: a label cannot stand before the escape of an `unless`
  goto here
}
