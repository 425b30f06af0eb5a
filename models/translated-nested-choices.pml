/* As a translator of programs writes it: free choices nested four deep in the loops of three processes.
   Our own model. True (SPIN 6.5.2 agrees, with its reduction): no deadlock, no assertion fails.

   expect: deadlock PROVED
   expect: assertions PROVED
*/
active proctype P() { int i; 
do :: i < 4 -> if :: true -> if :: true -> if :: true -> i++ :: true -> goto out fi :: true -> i++ fi :: true -> if :: true -> i++ :: true -> goto out fi fi
:: i == 4 -> i = 0
od; out: skip }
active proctype Q() { int i; do :: i < 4 -> if :: true -> if :: true -> i++ :: true -> goto out fi :: true -> i++ fi :: i == 4 -> i = 0 od; out: skip }
active proctype R() { do :: if :: true -> skip :: true -> skip fi; if :: true -> skip :: true -> goto out fi od; out: skip }
