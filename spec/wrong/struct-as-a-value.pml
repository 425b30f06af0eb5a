typedef T { int a };
T s;
int x;
init {
  x = s; // error[E0109]: `s` is a struct: name one of its fields
  s.a = x
}
