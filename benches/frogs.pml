/* Frogs: N frogs of either colour on a row of stones, each hops to the free stone or over one other. Class: board. */
#ifndef N
#define N 6
#endif
#ifndef STONES
#define STONES 14
#endif
byte stone[STONES];
inline hop(from, to) { stone[to] = stone[from]; stone[from] = 0 }
active proctype Frogs() {
	byte i;
	d_step { for (i : 0 .. N-1) { stone[i] = 1; stone[STONES-1-i] = 2 }; i = 0 }
	do
	:: atomic { select (i : 0 .. STONES-1);
		if
		:: stone[i] == 1 && i + 1 < STONES && stone[i+1] == 0 -> hop(i, i+1)
		:: stone[i] == 1 && i + 2 < STONES && stone[i+1] != 0 && stone[i+2] == 0 -> hop(i, i+2)
		:: stone[i] == 2 && i >= 1 && stone[i-1] == 0 -> hop(i, i-1)
		:: stone[i] == 2 && i >= 2 && stone[i-1] != 0 && stone[i-2] == 0 -> hop(i, i-2)
		:: else -> skip
		fi;
		i = 0 }
	od
}
