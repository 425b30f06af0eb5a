/* As a translator of programs writes it: a select loop over channels of producers that may stop at any time.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
chan a = [0] of { int }; chan b = [0] of { int }; chan quit = [0] of { int };
proctype prod(chan o) { do :: true -> if :: true -> o!1 :: true -> goto stop fi :: true -> break od; stop: skip }
active proctype cons() { int x; end: do :: a?x -> if :: true -> skip :: true -> skip fi :: b?x -> if :: x == 2 -> goto done :: else fi :: quit?x -> break od; done: skip }
init { run prod(a); run prod(b) }
