// atomic is not interrupted unless it blocks, and goes on when it can.
// expect: states 94 transitions 174
// expect: errors 0 atomic-steps 183
byte x, y; bool go;
active proctype A() { atomic { x = 1; x = 2; go; x = 3; x = 4 }; x = 5 }
active proctype B() { atomic { y = x; assert(y == 0 || y == 2 || y >= 4) }; go = true; y = x }
active proctype C() { do :: atomic { y < 2 -> y++; if :: y == 1 -> skip :: else -> break fi } :: y >= 2 -> break od }
