/* As a translator of programs writes it: a mutex as a monitor process, users that loop and leave at free choices.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
typedef Mu { chan lock = [0] of { bool }; chan unlock = [0] of { bool } }
byte inside;
proctype mon(Mu m) { end: do :: m.lock!true; m.unlock?true od }
proctype user(Mu m; chan done) { int i; do :: true -> m.lock?true; inside++; assert(inside == 1); if :: true -> inside--; m.unlock!true; goto stop :: true -> inside--; m.unlock!true fi :: true -> break od; stop: done!0 }
init { chan d = [2] of { int }; Mu m; run mon(m); run user(m, d); run user(m, d); d?0; d?0 }
