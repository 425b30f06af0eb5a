/* A client that waits for each answer.
   For any capacity:
     answered: holds
     again: holds
     first: holds
     one: holds
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
ltl answered { [] (Client@waiting -> <> !Client@waiting) }
ltl again { [] <> Server@serving }
ltl first { !Server@serving W Client@waiting }
ltl one { [] (len(request) <= 1) }
