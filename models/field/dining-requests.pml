/* Philosophers that ask for forks by messages: the forks are processes that lend themselves to one at a time.

   expect: buffers PROVED
   expect: bound fork[0] 3
   expect: bound fork[1] 3
   expect: bound fork[2] 3
   expect: bound hand[0] 1
   expect: bound hand[1] 1
   expect: bound hand[2] 1
   expect: progress PROVED
   expect: deadlock PROVED */
#define N 3
mtype = { want, grant, back };
chan fork[N] = [2] of { mtype, byte };
chan hand[N] = [2] of { mtype };

proctype Philosopher(byte me) {
	byte l = (me < (me + 1) % N -> me : (me + 1) % N);
	byte r = (me < (me + 1) % N -> (me + 1) % N : me);
	do
	:: fork[l]!want(me); hand[me]?grant;
		fork[r]!want(me); hand[me]?grant;
progress:	fork[l]!back(me); fork[r]!back(me)
	od
}

proctype Fork(byte me) {
	byte who;
	do
	:: fork[me]??want(who) -> hand[who]!grant; fork[me]??back(eval(who))
	od
}
init { atomic { byte i; for (i : 0 .. N - 1) { run Philosopher(i); run Fork(i) } } }
