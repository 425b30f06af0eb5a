/* Wide data: a few processes that add to an array of counters, which take many values.
   Our own model; WIDTH counters, each of which counts modulo VALUES; for measuring a state vector with much data in it.
   True: no deadlock; the sum of all counters, modulo VALUES, is the number of steps done: the assertion holds.
   Size of the full graph, every statement a step, as below. With -DVALUES=30: 729,000 / 2,916,001.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: states 46656 transitions 186625 */

#ifndef WIDTH
#define WIDTH 3
#endif
#ifndef VALUES
#define VALUES 12
#endif
short counter[WIDTH];
int steps = 0;

active [WIDTH] proctype Adder() {
	short seen;
	do
	:: seen = counter[_pid];
	   seen = (seen + 1) % VALUES;
	   atomic { counter[_pid] = seen; steps = (steps + 1) % VALUES }
	od
}

active proctype Checker() {
	int sum;
	byte i;
	do
	:: atomic {
	      sum = 0;
	      i = 0;
	      do
	      :: i < WIDTH -> sum = sum + counter[i]; i++
	      :: else -> break
	      od;
	      assert(sum % VALUES == steps);
	      sum = 0;
	      i = 0
	   }
	od
}
