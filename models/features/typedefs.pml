// Structures: nested, with arrays, as whole messages and as parts of them.
// expect: states 73 transitions 118
// expect: errors 0 atomic-steps 0
typedef Point { byte x; byte y };
typedef Path { Point at[2]; bit closed; short cost = 3 };
Path path; Path two[2];
chan c = [1] of { Point };
active proctype P() {
  Point p;
  path.at[1].x = 4; path.closed = 1; two[1].cost = path.cost + 1;
  p.x = 1; p.y = 2; c!p; p.x = 0; c?p;
  assert(p.x == 1 && two[1].cost == 4 && two[0].cost == 3);
  path.at[p.x].y = p.y
}
active proctype Q() { two[0].closed = path.closed; assert(two[0].closed <= 1) }
