/* Unbounded process creation by itself: each P sends a message and creates the next P.
   Our own model after IBOC, figure 9, section 3.7.
   True: C is unbounded when the number of processes is not limited, which is the papers' reading. (SPIN lets a
   process die only after all younger ones, and stops at 255: under that limit C would hold at most 255.)

   expect: buffers VIOLATED
   expect: deadlock VIOLATED
   expect: assertions PROVED */

mtype = { msg0 };
chan C = [2] of { mtype };

active proctype P() {
	C!msg0;
	run P()
}
