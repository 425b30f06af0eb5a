/* A monitor that answers every sign of life.
   For any capacity:
     seen: holds
     answered: holds
 */
chan beat = [1] of { byte };
chan ok = [1] of { byte };
bit alarm;
active proctype Node() { do :: beat!1; ok?_ od }
active proctype Watch() { do :: beat?_; seen: ok!1 od }
ltl seen { [] <> Watch@seen }
ltl answered { [] ((len(beat) > 0) -> <> (len(beat) == 0)) }
