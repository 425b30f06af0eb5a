/* Producers and consumers over large buffers, with a bounded number of items under way.
   Our own model: two producers, a router, two consumers; items are numbered modulo 4. The buffers hold up to CAPACITY messages; for measuring states
   with much channel content.
   True: unbounded if the capacities are (the producers wait for nothing); no deadlock.
   Size of the full graph, every statement a step, as below. Larger capacities need a deeper search than one million steps in SPIN.

   expect: buffers VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED
   expect: states 435457 transitions 1803650 */

#ifndef CAPACITY
#define CAPACITY 2
#endif
chan raw = [CAPACITY] of { byte, byte };
chan sorted[2] = [CAPACITY] of { byte };

proctype Producer(byte me) {
	byte n = 0;
	do
	:: raw!me, n; n = (n + 1) % 4
	od
}

active proctype Router() {
	byte from, n;
	do
	:: raw?from, n -> sorted[from]!n; from = 0; n = 0
	od
}

proctype Consumer(byte me) {
	byte n, expected = 0;
	do
	:: sorted[me]?n -> assert(n == expected); expected = (expected + 1) % 4; n = 0
	od
}

init {
	atomic {
		run Producer(0); run Producer(1);
		run Consumer(0); run Consumer(1)
	}
}
