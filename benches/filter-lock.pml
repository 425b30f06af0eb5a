/* The filter lock (Peterson for N): every wait looks at the levels of all others. Class: mutual exclusion. */
#ifndef N
#define N 4
#endif
byte level[N];
byte last[N];
byte inside;
active [N] proctype P() {
	byte l, k;
	do
	:: l = 1;
	   do
	   :: l < N ->
		level[_pid] = l;
		last[l] = _pid;
		k = 0;
		do
		:: k < N && (k == _pid || level[k] < l || last[l] != _pid) -> k++
		:: k == N -> break
		od;
		k = 0;
		l++
	   :: l == N -> break
	   od;
	   inside++; assert(inside == 1); inside--;
	   level[_pid] = 0; l = 0
	od
}
