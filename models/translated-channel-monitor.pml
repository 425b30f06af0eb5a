/* As a translator of programs writes it: a buffered channel as a monitor process that can be closed.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
typedef Ch { chan send = [0] of { int }; chan recv = [0] of { int }; chan closing = [0] of { bool }; bool closed = false; int size = 0; int cap = 2 }
proctype chmon(Ch c) { end: if :: true -> do :: c.closed -> end2: c.recv!-1 :: else -> if :: c.size == c.cap -> end3: if :: c.recv!0 -> c.size-- :: c.closing?true -> c.closed = true fi :: c.size == 0 -> end4: if :: c.send?_ -> c.size++ :: c.closing?true -> c.closed = true fi :: else -> end5: if :: c.send?_ -> c.size++ :: c.recv!0 -> c.size-- :: c.closing?true -> c.closed = true fi fi od fi }
proctype sender(Ch c; chan child) { int i; do :: i < 3 -> c.send!1; i++; if :: true -> goto stop :: true fi :: i >= 3 -> break od; stop: child!0 }
init { chan k = [1] of { int }; Ch c; int x; run chmon(c); run sender(c, k); do :: c.recv?x -> if :: x == -1 -> break :: else fi :: k?0 -> c.closing!true od }
