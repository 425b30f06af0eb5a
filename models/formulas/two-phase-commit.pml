/* A coordinator asks two participants, which agree, and tells both to commit.
   For any capacity:
     commits: holds
     prepared: holds
     both: holds
 */
chan ask = [2] of { byte };
chan ask2 = [2] of { byte };
chan vote = [2] of { byte };
chan tell = [2] of { byte };
chan tell2 = [2] of { byte };
active proctype Coordinator() {
  do
  :: ask!1; ask2!1; asking: vote?_; vote?_; deciding: tell!1; tell2!1
  od
}
active proctype P() { do :: ask?_; vote!1; prepared: tell?_; committed: skip od }
active proctype Q() { do :: ask2?_; vote!1; tell2?_; committed: skip od }
ltl commits { [] (Coordinator@asking -> <> P@committed) }
ltl prepared { !P@committed W P@prepared }
ltl both { [] <> Q@committed }
