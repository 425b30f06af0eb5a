chan c;
init {
  c = 3 // error[E0212]: a number cannot be assigned to a channel
}
