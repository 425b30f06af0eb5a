/* A station may keep the token for itself.
   For any capacity:
     again: fails
     exclusion: holds
 */
chan a = [1] of { bit };
chan b = [1] of { bit };
active proctype A() { a!1; do :: b?_; critical: if :: a!1 :: skip fi od }
active proctype B() { do :: a?_; critical: b!1 od }
ltl again { [] <> B@critical }
ltl exclusion { [] !(A@critical && B@critical) }
