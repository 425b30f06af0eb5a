/* Lamport's bakery for N processes with numbers in an array, compared one at a time. Class: mutual exclusion. */
#ifndef N
#define N 3
#endif
#ifndef MOST
#define MOST 5
#endif
byte number[N];
bit choosing[N];
byte inside;
active [N] proctype P() {
	byte j, max;
	do
	:: choosing[_pid] = 1;
	   max = 0;
	   for (j : 0 .. N-1) { if :: number[j] > max -> max = number[j] :: else fi };
	   if :: max < MOST -> number[_pid] = max + 1 :: else -> number[_pid] = MOST fi;
	   max = 0;
	   choosing[_pid] = 0;
	   for (j : 0 .. N-1) {
		!choosing[j];
		(number[j] == 0 || number[j] > number[_pid] || (number[j] == number[_pid] && j >= _pid))
	   }
	   j = 0;
	   inside++; assert(inside == 1); inside--;
	   number[_pid] = 0
	od
}
