init {
  { int inner; inner = 1 };
  inner = 2 // error[E0101]: `inner` is not declared
}
