init { skip }
never {
  int x; // error[E0209]: a never claim cannot have variables of its own
  x == 0
}
