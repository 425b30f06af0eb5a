/* The server may forget a request.
   For any capacity:
     answered: fails
     first: holds
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
  :: request?_; if :: serving: reply!1 :: skip fi
  od
}
ltl answered { [] (Client@waiting -> <> !Client@waiting) }
ltl first { !Server@serving W Client@waiting }
