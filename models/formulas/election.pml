/* Two candidates exchange their numbers; the larger one leads.
   For any capacity:
     elected: holds
     only: holds
 */
chan a = [2] of { byte };
chan b = [2] of { byte };
bit leader1, leader2;
active proctype One() { byte n; b!1; a?n; if :: n < 1 -> leader1 = 1 :: else fi }
active proctype Two() { byte n; a!2; b?n; if :: n < 2 -> leader2 = 1 :: else fi }
ltl elected { <> (leader2 == 1) }
ltl only { [] (leader1 == 0) }
