// for over ranges, arrays and channels; select with few, many and computed values.
// expect: states 91 transitions 91
// expect: errors 0 atomic-steps 0
byte a[3]; typedef M { byte v; bit w }; M m; chan c = [2] of { M }; byte i, j, k;
active proctype P() {
  for (i : 1 .. 2) { m.v = i; c!m };
  for (i in a) { a[i] = i; skip; skip };
  for (m in c) { j = j + m.v };
  assert(j == 3 && len(c) == 2);
  select (k : 0 .. 3); select (j : 1 .. (k + 1)); assert(j >= 1 && j <= k + 1)
}
