/* The sieve of primes by a growing pipeline of filters; the source stops at a limit.

   expect: buffers PROVED
   expect: deadlock PROVED */
#define LIMIT 12
proctype Filter(int p; chan in) {
	chan out = [2] of { int };
	int n;
	bool started = false;
	do
	:: in?n ->
		if
		:: n == 0 -> if :: started -> out!0 :: else fi; break
		:: n != 0 && n % p == 0
		:: n != 0 && n % p != 0 ->
			if
			:: !started -> run Filter(n, out); started = true
			:: else -> out!n
			fi
		fi
	od
}
init {
	chan first = [2] of { int };
	int i;
	run Filter(2, first);
	for (i : 3 .. LIMIT) { first!i }
	first!0
}
