/* A flag that is set before and cleared after a message is answered.
   For any capacity:
     cleared: holds
     set: holds
     always: fails
 */
chan q = [2] of { byte };
chan r = [2] of { byte };
bit busy;
active proctype P() { do :: busy = 1; q!1; r?_; busy = 0 od }
active proctype Q() { do :: q?_; serving: r!1 od }
ltl cleared { [] ((busy == 1) -> <> (busy == 0)) }
ltl set { [] (Q@serving -> (busy == 1)) }
ltl always { [] (busy == 1) }
