/* As a translator of programs writes it: deferred statements behind a label that free choices jump to.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
chan sem = [1] of { bool };
proctype f(chan child) { bool d1, d2; sem!true; d1 = true; if :: true -> goto defer :: true -> d2 = true fi; do :: true -> if :: true -> goto defer :: true fi :: true -> break od; defer: if :: d2 -> skip :: else fi; if :: d1 -> sem?true :: else fi; child!0 }
init { chan c = [2] of { int }; run f(c); run f(c); c?0; c?0 }
