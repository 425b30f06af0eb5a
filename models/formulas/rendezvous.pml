/* A server that is met, not written to.
   For any capacity:
     answered: holds
     again: holds
 */
chan request = [0] of { byte };
chan reply = [2] of { byte };
active proctype Client() { do :: request!1; waiting: reply?_ od }
active proctype Server() { do :: request?_; serving: reply!1 od }
ltl answered { [] (Client@waiting -> <> !Client@waiting) }
ltl again { [] <> Server@serving }
