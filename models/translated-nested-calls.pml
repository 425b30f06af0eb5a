/* As a translator of programs writes it: functions as processes: three levels of calls inside nested loops with free exits.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
proctype leaf(chan child) { if :: true -> goto stop :: true fi; stop: child!0 }
proctype mid(chan child) { chan k = [1] of { int }; do :: true -> if :: true -> run leaf(k); k?0 :: true -> goto stop fi :: true -> break od; stop: child!0 }
proctype top(chan child) { chan k = [1] of { int }; do :: true -> do :: true -> run mid(k); k?0; if :: true -> goto stop :: true fi :: true -> break od :: true -> break od; stop: child!0 }
init { chan c = [1] of { int }; run top(c); c?0 }
