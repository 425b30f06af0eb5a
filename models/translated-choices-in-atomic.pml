/* As a translator of programs writes it: free choices inside of atomic sequences, three processes.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
byte x, y; chan c = [1] of { byte };
active [3] proctype P() { do :: atomic { if :: true -> x = 1 :: true -> x = 2 fi; if :: true -> y = x :: true -> y = 0 fi; if :: true -> goto out :: true fi } :: atomic { c!x; if :: true -> c?x :: true -> c?y fi } od; out: skip }
