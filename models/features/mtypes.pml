// Symbolic names, plain and of named sets.
// expect: states 26 transitions 39
// expect: errors 0 atomic-steps 0
mtype = { one, two, three }; mtype:fruit = { apple, pear };
mtype m = two; mtype:fruit f; chan c = [2] of { mtype, mtype:fruit };
active proctype P() { f = apple; c!m,f; m = three; c!one,pear; c?two,apple; c?m,f; assert(m == one && f == pear) }
active proctype Q() { if :: m == three -> printm(m) :: m == one -> printf("%e\n", m) fi }
