/* Channel parameters: two instances of P, the second of which takes one message from D and puts two back.
   Our own model after IBOC, figure 5, section 3.3, with one message in C to start from.
   True: P(C, D) alone does no harm; P(D, D) floods D. C holds at most the one message.

   expect: buffers VIOLATED
   expect: bound C 1
   expect: deadlock VIOLATED
   expect: assertions PROVED */

mtype = { msg0, msg1 };
chan C = [2] of { mtype };
chan D = [2] of { mtype };

proctype P(chan X; chan Y) {
	do
	:: X?msg0 -> Y!msg0; Y!msg0
	od
}

init {
	C!msg0;
	run P(C, D);
	run P(D, D)
}
