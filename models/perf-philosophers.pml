/* Dining philosophers: N of them, each takes the left fork, then the right one.
   Our own model of Dijkstra's problem; forks are globals; -DN=... sets the number, -DPOLITE makes the last one take the right fork first.
   True: deadlock when all hold their left fork; with POLITE none.
   Size of the full graph, every statement a step, as below. With -DN=9: 46,764 / 304,139; with -DN=11: 510,117 / 4,054,987; with -DPOLITE: 863 / 3,518.

   expect: deadlock VIOLATED
   expect: assertions PROVED
   expect: states 1298 transitions 5624 */

#ifndef N
#define N 6
#endif
bool taken[N];

proctype Philosopher(byte first; byte second) {
	do
	:: atomic { !taken[first] -> taken[first] = true };
	   atomic { !taken[second] -> taken[second] = true };
	   taken[second] = false;                         /* has eaten */
	   taken[first] = false
	od
}

init {
	byte i = 0;
	atomic {
		do
#ifdef POLITE
		:: i < N - 1 -> run Philosopher(i, i + 1); i++
		:: i == N - 1 -> run Philosopher(0, i); i++
#else
		:: i < N -> run Philosopher(i, (i + 1) % N); i++
#endif
		:: i == N -> break
		od
	}
}
