/* A ring of N that computes a maximum: each adds what it knows to what goes round; the first starts a new round when the old one is back.

   expect: buffers PROVED
   expect: bound q[0] 1
   expect: bound q[1] 1
   expect: bound q[2] 1
   expect: bound q[3] 1
   expect: progress PROVED
   expect: deadlock PROVED */
#define N 4
chan q[N] = [1] of { byte };
byte known[N];

proctype Node(byte me) {
	byte v;
	do
	:: q[me]?v ->
		if
		:: v < known[me] -> v = known[me]
		:: else
		fi;
		if
		:: known[me] < 3 -> known[me]++
		:: skip
		fi;
progress:	q[(me + 1) % N]!v
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) { run Node(i) };
		q[0]!0
	}
}
