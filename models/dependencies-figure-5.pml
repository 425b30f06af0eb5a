/* A condition on a global variable: the only cycle of p depends on the only cycle of q.
   Our own model after the cycle-dependency study, figure 5, section 4.2 (a graph there).
   True: bounded: p may send while credit is left, q gives credit for each message taken. Livelock-free; no deadlock.

   expect: buffers PROVED
   expect: bound data 2
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { item };
chan data = [2] of { mtype };
int credit = 2;

active proctype p() {
	do
	:: credit > 0 -> credit = credit - 1; data!item
	od
}

active proctype q() {
	do
	:: data?item ->
progress_credit:
	   credit = credit + 1
	od
}
