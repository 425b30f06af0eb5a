/* The same beside a log that nobody reads: without limits it grows for ever, with a limit the client stops at it.
   For any capacity:
     answered: holds
     again: fails
     first: holds
 */
chan request = [2] of { byte };
chan log = [3] of { byte };
chan reply = [1] of { byte };
active proctype Client() {
  do
  :: log!1; request!1; waiting: reply?_
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
