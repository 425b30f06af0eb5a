byte a[3];
init {
  for (a[0] : 1 .. 3) { skip } // error[E0213]: only a plain variable can count, not an element or a field
}
