// Arrays: global, local, initialised, indexed by expressions; an array of bits holds bytes.
// expect: states 21 transitions 21
// expect: errors 0 atomic-steps 0
byte a[3] = 2; short n[2] = {5, 6}; bit flags[2];
active proctype P() {
  byte i; int own[2];
  for (i : 0 .. 2) { a[i] = a[i] + i };
  own[a[0] - 2] = n[1]; own[1] = own[0] + n[0];
  flags[1] = 3;
  assert(a[2] == 4 && own[1] == 11 && flags[1] == 3);
  if :: a[own[0] % 3] == 2 -> n[0] = 0 :: n[1] = 0 fi
}
