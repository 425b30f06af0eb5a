/* A dispatcher gives jobs to two workers in turn.
   For any capacity:
     first: holds
     second: holds
 */
chan one = [2] of { byte };
chan two = [2] of { byte };
chan done = [2] of { byte };
active proctype Dispatcher() { do :: one!1; done?_; two!1; done?_ od }
active proctype First() { do :: one?_; working: done!1 od }
active proctype Second() { do :: two?_; working: done!1 od }
ltl first { [] <> First@working }
ltl second { [] (First@working -> <> Second@working) }
