// run with arguments, its value, processes that die youngest first, _nr_pr and _pid.
// expect: states 118 transitions 252
// expect: errors 0 atomic-steps 0
byte done, last;
proctype Child(byte depth; bit side) { if :: depth > 0 -> run Child(depth - 1, 1 - side) :: else fi; done++; last = _pid }
init { pid p; p = run Child(1, 0); assert(p == 1); run Child(0, 1); (_nr_pr == 1); assert(done == 3) }
