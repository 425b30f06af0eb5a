/* Two workers meet at a barrier again and again.
   For any capacity:
     meets: holds
     together: holds
 */
chan come = [2] of { byte };
chan go1 = [2] of { byte };
chan go2 = [2] of { byte };
active proctype Barrier() { do :: come?_; come?_; open: go1!1; go2!1 od }
active proctype One() { do :: come!1; waiting: go1?_ od }
active proctype Two() { do :: come!1; waiting: go2?_ od }
ltl meets { [] <> Barrier@open }
ltl together { [] (One@waiting -> <> !One@waiting) }
