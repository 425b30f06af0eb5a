/* Two clients with channels of their own for answers; the server takes requests in their order.
   For any capacity:
     answered: fails
     answered: holds under weak fairness
     other: fails
     other: holds under weak fairness
     absence: holds
 */
chan request = [2] of { byte };
chan reply0 = [1] of { byte };
chan reply1 = [1] of { byte };
active proctype Client0() { do :: request!0; waiting: reply0?_ od }
active proctype Client1() { do :: request!1; waiting: reply1?_ od }
active proctype Server() { do :: request?0; reply0!1 :: request?1; reply1!1 od }
ltl answered { [] (Client0@waiting -> <> !Client0@waiting) }
ltl other { [] (Client1@waiting -> <> !Client1@waiting) }
ltl absence { [] (len(reply0) <= 1) }
