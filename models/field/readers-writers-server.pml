/* Readers and writers served by messages: the server counts readers and lets writers in when there are none.
   True: the server may hear that a reader begins again before it hears that it ended, time and again; what it does not hear piles up. `readers` counts on,
   so no state comes twice, but nothing on the way round looks at it.

   expect: buffers VIOLATED */
#define R 2
#define W 2
mtype = { rbegin, rend, wbegin, wend, ok };
chan srv = [4] of { mtype, byte };
chan go[4] = [1] of { mtype };

proctype Reader(byte me) {
	do
	:: srv!rbegin(me); go[me]?ok;
progress:	srv!rend(me)
	od
}
proctype Writer(byte me) {
	do
	:: srv!wbegin(me); go[me]?ok; srv!wend(me)
	od
}
active proctype Server() {
	int readers = 0;
	byte w;
	do
	:: srv??rbegin(w) -> readers++; go[w]!ok
	:: srv??rend(_) -> readers--
	:: readers == 0 -> srv??wbegin(w); go[w]!ok; srv??wend(_)
	od
}
init { run Reader(0); run Reader(1); run Writer(2); run Writer(3) }
