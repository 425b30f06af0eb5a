// Assertions that fail, are counted and passed by.
byte x;
active [2] proctype P() { x++; assert(x == 1); x--; d_step { assert(x < 1); assert(x < 2) } }
