/* As a translator of programs writes it: a loop that starts two processes each time round and waits for their messages, not for their end.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
proctype w(int id; chan o) { if :: true -> if :: true -> o!id :: true -> o!0 fi :: true -> o!0 fi }
init { chan o = [4] of { int }; int x; do :: true -> run w(1, o); run w(2, o); o?x; o?x; if :: true -> goto stop :: true fi :: true -> break od; stop: skip }
