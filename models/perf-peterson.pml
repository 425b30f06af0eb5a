/* Peterson's mutual exclusion for N processes (the filter of N - 1 levels).
   Our own model of the published algorithm (Peterson, 1981); size is set with -DN=...
   True: never two processes in the critical section; no deadlock. (For measuring search: small data, many interleavings.)
   Size of the full graph, every statement a step, as below. With -DN=4: 1,731,648 states and 6,184,873 transitions.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: states 14488 transitions 39163 */

#ifndef N
#define N 3
#endif
byte level[N];                               /* the level that each process has reached */
byte last[N];                                /* who came to the level last */
byte critical = 0;

active [N] proctype Process() {
	byte l, other;
	do
	:: l = 1;
	   do
	   :: l < N ->
	      level[_pid] = l;
	      last[l] = _pid;
	      other = 0;
	      do                                          /* wait until nobody else is as far, or somebody came later */
	      :: other < N && (other == _pid || level[other] < l || last[l] != _pid) -> other++
	      :: other == N -> break
	      od;
	      l++
	   :: l == N -> break
	   od;
	   critical++;
	   assert(critical == 1);
	   critical--;
	   level[_pid] = 0
	od
}
