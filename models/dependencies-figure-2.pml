/* A condition that hangs on another variable: the left cycle tests x, which it takes from y; the right cycle sets y back.
   Our own model after the cycle-dependency study, figure 2, section 4.1, refinement 1 (a graph there): the right
   cycle must be in the dependency of the left one although it does not touch x. The Sink is ours.
   True: bounded, livelock-free (each infinite run takes the right cycle again and again), no deadlock.

   expect: buffers PROVED
   expect: bound out 3
   expect: bound back 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { item, clear };
chan out = [3] of { mtype };
chan back = [1] of { mtype };

active proctype p() {
	int x = 0;
	int y = 0;
	do
	:: x = y;
	   do
	   :: x < 3 -> out!item; y = y + 1; x = y         /* left: the condition hangs on y */
	   :: x >= 3 -> break
	   od;
progress_cleared:
	   back?clear;                                    /* right: y is set back, x is not */
	   y = 0
	od
}

active proctype Sink() {
	byte n;
	do
	:: n < 3 -> out?item; n++
	:: n == 3 -> back!clear; n = 0
	od
}
