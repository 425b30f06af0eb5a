/* A barrier by a counter: workers add one and wait for the coordinator's message; the last of all resets.

   expect: buffers PROVED
   expect: bound proceed 3
   expect: progress PROVED
   expect: deadlock PROVED */
#define N 3
byte arrived = 0;
chan proceed = [N] of { bit };

active [N] proctype Worker() {
	do
	:: arrived++; proceed?_
	od
}

active proctype Coordinator() {
	byte i;
	do
	:: arrived == N ->
		arrived = 0;
		for (i : 1 .. N) { proceed!1 }
progress:	skip
	od
}
