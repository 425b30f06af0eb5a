/* Go-back-n over a link that loses: the window is what lies between two sequence numbers modulo MAX.

   expect: buffers PROVED
   expect: bound toR 3
   expect: bound toS 3
   expect: progress VIOLATED
   expect: deadlock PROVED */
#define MAX 8
#define WIN 3
mtype = { data, ack };
chan toR = [10] of { mtype, byte };
chan toS = [10] of { mtype, byte };

active proctype Sender() {
	byte base = 0, next = 0, a, k;
	do
	:: (next + MAX - base) % MAX < WIN -> toR!data(next); next = (next + 1) % MAX
	:: toS?ack(a) ->
		if
		:: (a + MAX - base) % MAX < (next + MAX - base) % MAX -> base = (a + 1) % MAX
		:: else
		fi
	:: timeout -> k = base;
		do
		:: k != next -> toR!data(k); k = (k + 1) % MAX
		:: else -> break
		od
	od
}

active proctype Receiver() {
	byte expected = 0, s;
	do
	:: toR?data(s) ->
		if
		:: skip	/* lost */
		:: s == expected ->
progress:	expected = (expected + 1) % MAX;
			toS!ack(s)
		:: s != expected -> toS!ack((expected + MAX - 1) % MAX)
		fi
	od
}
