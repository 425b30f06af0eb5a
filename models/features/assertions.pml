// Assertions that fail, are counted and passed by.
// expect: states 31 transitions 51
// expect: errors 8 atomic-steps 0
byte x;
active [2] proctype P() { x++; assert(x == 1); x--; d_step { assert(x < 1); assert(x < 2) } }
