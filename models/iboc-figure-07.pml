/* Channel assignment after a loop: while the loop runs, C and D are two queues.
   Our own model after IBOC, figure 7, section 3.5, with one message to start from.
   True: bounded; the loop has no way out, so the assignment is never reached. P ends up waiting at C for ever.

   expect: buffers PROVED
   expect: bound C 1
   expect: bound D 2
   expect: deadlock VIOLATED
   expect: assertions PROVED */

mtype = { msg0, msg1 };
chan C = [2] of { mtype };
chan D = [2] of { mtype };

active proctype P() {
	C!msg0;
	do
	:: C?msg0 -> D!msg0; D!msg0
	od;
	C = D
}
