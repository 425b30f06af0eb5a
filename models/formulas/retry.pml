/* A request over a lossy channel, sent again when nothing else can happen. Losing every copy is possible, but nobody stops.
   For any capacity:
     answered: fails
     goes_on: holds
     order: holds
 */
chan out = [2] of { byte };
chan back = [2] of { byte };
active proctype Client() {
  do
  :: out!1; waiting:
     do :: back?_; break :: timeout; out!1 od
  od
}
active proctype Network() { do :: out?_; passing: if :: back!1 :: skip fi od }
ltl answered { [] <> (len(back) > 0) }
ltl goes_on { [] <> Network@passing }
ltl order { (len(back) == 0) W Network@passing }
