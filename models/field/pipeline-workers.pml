/* A pipeline of four stages with buffers in between and a limit on what is in the pipeline: returned cards.

   expect: buffers PROVED
   expect: bound a 3
   expect: bound b 3
   expect: bound c 3
   expect: bound cards 3
   expect: progress PROVED */
#define CARDS 3
chan a = [2] of { int };
chan b = [2] of { int };
chan c = [2] of { int };
chan cards = [CARDS] of { bit };

active proctype Source() {
	int n;
	bit x;
	do :: cards?x -> a!n; n++ od
}
proctype Stage(chan i, o) {
	int v;
	do :: i?v -> if :: v % 2 == 0 -> o!(v / 2) :: else -> o!(3 * v + 1) fi od
}
active proctype Sink() {
	int v;
	do :: c?v -> progress: cards!1 od
}
init {
	run Stage(a, b);
	run Stage(b, c);
	cards!1; cards!1; cards!1
}
