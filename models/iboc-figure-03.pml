/* Message fields: receives tell messages apart by a constant in the first field, and keep the second in a variable.
   Our own model after IBOC, figure 3, section 3.1 (message types); Source is ours, so that there is something to
   receive. Two message types are enough: (C, exact) and (C, inexact).
   True: bounded; three messages are ever sent.

   expect: buffers PROVED
   expect: bound C 3
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { exact, inexact };
chan C = [2] of { mtype, int };
int kept, dumped;

active proctype P() {
	int x;
end:	do
	:: C?exact, x -> kept = kept + x
	:: C?inexact, x -> dumped = dumped + x
	od
}

active proctype Source() {
	C!exact, 5;
	C!inexact, 7;
	C!exact, 7
}
