/* Crossing a river: M people of either of two kinds, a boat for B; how many are on either side stands in arrays. Class: large counters. */
#ifndef M
#define M 150
#endif
#define B 3
byte mis[2], can[2];
bit boat = 0;
active proctype River() {
	byte m, c;
	mis[0] = M; can[0] = M;
	do
	:: atomic {
		select (m : 0 .. B); select (c : 0 .. B);
		if
		:: m + c > 0 && m + c <= B && mis[boat] >= m && can[boat] >= c ->
			mis[boat] = mis[boat] - m; can[boat] = can[boat] - c; boat = 1 - boat;
			mis[boat] = mis[boat] + m; can[boat] = can[boat] + c
		:: else -> skip
		fi;
		m = 0; c = 0 }
	od
}
