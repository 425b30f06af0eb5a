// Scalar types and how values are cut to them.
// expect: states 20 transitions 20
// expect: errors 0 atomic-steps 0
bit b; bool t; byte y = 250; short s = 32767; int i; unsigned u : 3 = 5; pid p;
active proctype P() {
  b = 3; t = b + 1; y = y + 10; s = s + 1; i = -1 - s; u = u + i + 4; p = _pid + 256;
  assert(b == 1 && !t && y == 4 && s == -32768 && u < 8 && p == 0);
  do :: y > 0 -> y = y >> 1; u-- :: else -> break od
}
