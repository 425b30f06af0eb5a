/* A message as the right to go on.
   For any capacity:
     exclusion: holds
     someone: holds
 */
chan token = [2] of { bit };
active proctype P() { token!1; do :: token?_; critical: token!1 od }
active proctype Q() { do :: token?_; critical: token!1 od }
ltl exclusion { [] !(P@critical && Q@critical) }
ltl someone { [] <> (P@critical || Q@critical) }
