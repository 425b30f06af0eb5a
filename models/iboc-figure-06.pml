/* Channel assignment before a loop: C and D are one queue when the loop runs.
   Our own model after IBOC, figure 6, section 3.5, with one message to start from.
   True: the queue of D, which both names denote, is flooded. The queue that C denoted first is never used.

   expect: buffers VIOLATED
   expect: deadlock VIOLATED
   expect: assertions PROVED */

mtype = { msg0, msg1 };
chan C = [2] of { mtype };
chan D = [2] of { mtype };

active proctype P() {
	C = D;
	C!msg0;
	do
	:: C?msg0 -> D!msg0; D!msg0
	od
}
