/* The same: `elected` needs fairness, because whoever is ready first may go on alone.
   For any capacity:
     elected: fails
     elected: holds under weak fairness
     only: holds
 */
chan a = [2] of { byte };
chan b = [2] of { byte };
bit leader1, leader2, x;
active proctype One() { byte n; b!1; a?n; if :: n < 1 -> leader1 = 1 :: else fi; do :: x = 1 - x od }
active proctype Two() { byte n; a!2; b?n; if :: n < 2 -> leader2 = 1 :: else fi; do :: skip od }
ltl elected { <> (leader2 == 1) }
ltl only { [] (leader1 == 0) }
