/* Somebody computes for ever beside client and server: only fairness lets the others go on.
   For any capacity:
     answered: fails
     answered: holds under weak fairness
     answered: holds under strong fairness
 */
chan request = [2] of { byte };
chan reply = [1] of { byte };
active proctype Client() {
  do
  :: request!1; waiting: reply?_
  od
}
active proctype Server() {
  do
  :: request?_; serving: reply!1
  od
}
bit x;
active proctype Spinner() { do :: x = 1 - x od }
ltl answered { [] (Client@waiting -> <> !Client@waiting) }
