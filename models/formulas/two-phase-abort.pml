/* A participant may refuse; then both are told to abort.
   For any capacity:
     agrees: fails
     decides: holds
     order: holds
 */
chan ask = [2] of { byte };
chan vote = [2] of { byte };
chan tell = [2] of { byte };
active proctype Coordinator() {
  do
  :: ask!1; if :: vote?1; deciding: tell!1 :: vote?0; aborting: tell!0 fi
  od
}
active proctype P() {
  do
  :: ask?_; if :: vote!1 :: vote!0 fi; waiting: if :: tell?1; committed: skip :: tell?0 fi
  od
}
ltl agrees { [] <> P@committed }
ltl decides { [] (P@waiting -> <> !P@waiting) }
ltl order { !P@committed W Coordinator@deciding }
