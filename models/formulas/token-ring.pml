/* A token goes round three stations.
   For any capacity:
     exclusion: holds
     again: holds
     everybody: holds
     one: holds
 */
chan a = [1] of { bit };
chan b = [1] of { bit };
chan c = [1] of { bit };
active proctype A() { a!1; do :: c?_; critical: a!1 od }
active proctype B() { do :: a?_; critical: b!1 od }
active proctype C() { do :: b?_; critical: c!1 od }
ltl exclusion { [] !(B@critical && C@critical) }
ltl again { [] <> B@critical }
ltl everybody { [] (B@critical -> <> A@critical) }
ltl one { [] !((len(a) > 0) && (len(b) > 0)) }
