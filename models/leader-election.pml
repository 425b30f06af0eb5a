/* Leader election in a one-way ring of N processes.
   Our own model of the algorithm of Dolev, Klawe and Rodeh (1982; Peterson's is the same idea): in each phase an active process
   compares the two nearest active numbers behind it with its own and stays in the race only if the nearer one is the
   largest of the three. The number of processes can be set with -DN=...; the numbers are a fixed permutation of 0 .. N-1.
   In the size of Ciclo's tables II and V (5 to 50 processes, a buffer each); meant for rings of thousands too.
   True: bounded; every run ends, so there is no livelock; each process ends or waits where it may (no deadlock); exactly one
   process becomes leader. The bounds below are for N = 5.
   Size of the full graph, every statement a step: N = 5: 8,723 states and 31,382 transitions; N = 7: 273,625 / 1,400,566.

   expect: buffers PROVED
   expect: bound ring[0] 3
   expect: bound ring[1] 3
   expect: bound ring[2] 3
   expect: bound ring[3] 4
   expect: bound ring[4] 3
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#ifndef N
#define N 5
#endif
mtype = { one, two, winner };
chan ring[N] = [N] of { mtype, int };
int leaders = 0;

proctype Node(int me; int mine) {
	int maximum = mine;
	int nearest;
	int value;
	ring[(me + 1) % N]!one(maximum);
	do
	:: ring[me]?one(value) ->                        /* active: the nearest active number behind me */
	   if
	   :: value == maximum ->                        /* it has gone all the way round: nobody else is active */
	      leaders++;
	      assert(leaders == 1);
	      ring[(me + 1) % N]!winner(value);
	      ring[me]?winner(value);
	      break
	   :: else ->
	      nearest = value;
	      ring[(me + 1) % N]!two(nearest)
	   fi
	:: ring[me]?two(value) ->                        /* active: the second nearest */
	   if
	   :: nearest > value && nearest > maximum ->
	      maximum = nearest;
	      ring[(me + 1) % N]!one(maximum)
	   :: else -> goto relay
	   fi
	:: ring[me]?winner(value) ->
	   ring[(me + 1) % N]!winner(value);
	   break
	od;
	goto finished;
relay:	do
	:: ring[me]?one(value) -> ring[(me + 1) % N]!one(value)
	:: ring[me]?two(value) -> ring[(me + 1) % N]!two(value)
	:: ring[me]?winner(value) ->
	   ring[(me + 1) % N]!winner(value);
	   break
	od;
finished:
	skip
}

init {
	int i = 0;
	atomic {
		do
		:: i < N -> run Node(i, (2 * i + 1) % N); i++     /* a permutation when N is odd */
		:: else -> break
		od
	}
}
