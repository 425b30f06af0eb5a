/* As a translator of programs writes it: a goroutine that sends a few values and may stop early, started twice.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
proctype g(chan c) { int i; do :: i < 3 -> if :: true -> c!i; i++ :: true -> goto stop fi :: i >= 3 -> break od; stop: c!9 }
init { chan c = [1] of { int }; int x; run g(c); do :: c?x -> if :: x == 9 -> break :: else -> if :: true -> skip :: true -> skip fi fi od; run g(c); do :: c?x -> if :: x == 9 -> break :: else fi od }
