mtype bit; // error[E0007]: `bit` is a type and cannot be a name
init {
  bit = 1;
  bit = 2
}
