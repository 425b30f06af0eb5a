/* Unbounded process creation by a loop: P creates any number of Q, each of which sends one message.
   Our own model after IBOC, figure 8, section 3.7.
   True: C is unbounded, although no process has a loop that sends. Each Q may end before the next is created,
   so this is so even where the number of living processes is limited.
   P can always create another Q, so there is no deadlock either, unless the number of processes is limited.

   expect: buffers VIOLATED */

mtype = { msg0 };
chan C = [2] of { mtype };

active proctype P() {
	do
	:: run Q()
	od
}

proctype Q() {
	C!msg0
}
