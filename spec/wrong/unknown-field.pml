typedef T { int value };
T s;
init {
  s.valeu = 1; // error[E0108]: `T` has no field `valeu`
  s.value = 2
}
