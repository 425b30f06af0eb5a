// Every operator, with the precedences that matter.
// expect: states 17 transitions 17
// expect: errors 0 atomic-steps 0
int x = 7; int y = -3; byte steps;
active proctype P() {
  assert(x / 2 == 3 && x % 4 == 3 && y / 2 == -1 && y % 2 == -1);
  assert((x & 3) == 3 && (x | 8) == 15 && (x ^ 5) == 2 && ~x == -8);
  assert(x << 2 == 28 && x >> 1 == 3 && -x < y && !(x == y) && x != y);
  assert((x > y -> 1 : 0) == 1 && (x <= y || x >= 7) && !(x < 7 && y > 0));
  do :: x > 0 -> x = x - 2 * (x % 3 + 1); steps++ :: x <= 0 -> break od;
  assert(steps > 0 && steps < 8)
}
