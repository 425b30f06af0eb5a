/* A service that answers one command at a time and writes down each with its number, and a logger that may be slow.
   True: the log grows for ever, although no two entries are the same: nobody looks at the numbers. The other buffers hold one message.

   expect: buffers VIOLATED
   expect: bound commands 1
   expect: bound answers 1
   expect: progress PROVED
   expect: deadlock PROVED */
mtype = { command, answer };
chan commands = [1] of { mtype, int };
chan answers = [1] of { mtype, int };
chan log = [16] of { int, int };

active proctype User() {
	int n, x;
	do
	:: commands!command(n); answers?answer(x); n = x + 1
	od
}

active proctype Service() {
	int x, entries;
	do
	:: commands?command(x) ->
		entries++;
		log!entries, x;
progress:	answers!answer(x)
	od
}

active proctype Logger() {
	int number, what;
	do
	:: log?number, what
	od
}
