/* Channel parameters: two instances of P, the second of which takes from and puts to the same channel.
   Our own model after IBOC, figure 5, section 3.3. As drawn there, no message is ever in a channel, so
   nobody moves: see iboc-figure-05-seeded.pml for the flooding that the paper describes.
   True: both channels stay empty; both processes are stuck at once.

   expect: buffers PROVED
   expect: bound C 0
   expect: bound D 0
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
	run P(C, D);
	run P(D, D)
}
