// d_step: one step, choices resolved in order, guards and receives in front, loops inside.
// expect: states 31 transitions 43
// expect: errors 0 atomic-steps 0
byte x, i; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() {
  d_step { x < 5 -> i = 0; do :: i < 3 -> i++; x = x + i :: else -> break od; if :: true -> x++ :: true -> x = 99 fi };
  c!x; d_step { c?x; x = x * 2 }; assert(x == 14); r!x
}
active proctype B() { byte v; d_step { r?v; x = v + 1 }; assert(x == 15) }
active proctype C() { d_step { x == 7 -> i = 9; i = 4 } unless { x > 7 } }
