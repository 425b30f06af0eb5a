/* As a translator of programs writes it: a wait group with its monitor, workers that may leave early and a loop that may stop at any time.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
typedef Wg { chan add = [0] of { int }; chan wait = [0] of { int }; int n = 0 }
proctype worker(Wg w; chan child) { if :: true -> goto stop :: true -> goto defer1 fi; defer1: w.add!-1; stop: child!0 }
proctype monitor(Wg w) { int i; end: do :: w.add?i -> w.n = w.n + i; assert(w.n >= -5) :: w.n == 0 -> end1: if :: w.add?i -> w.n = w.n + i :: w.wait!0 fi od }
init { chan c = [1] of { int }; Wg w; int i; run monitor(w);
 for (i : 0 .. 2) { if :: true -> w.add!1; run worker(w, c); c?0 :: true -> break fi };
 if :: true -> goto stop :: true fi; stop: skip }
