/* Unbounded process creation by each other: P creates Q, Q creates R, R creates P.
   Our own model after IBOC, figure 10, section 3.7.
   True: C is unbounded when the number of processes is not limited (see iboc-figure-09.pml for SPIN's limit).

   expect: buffers VIOLATED
   expect: deadlock VIOLATED
   expect: assertions PROVED */

mtype = { msg0 };
chan C = [2] of { mtype };

active proctype P() {
	C!msg0;
	run Q()
}

proctype Q() {
	run R()
}

proctype R() {
	run P()
}
