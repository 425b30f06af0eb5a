/* Lamport's mutual exclusion for three sites, with clocks that stop counting at 200.
   Not known. What is missing: a site's request is answered once by each other site, which hangs on whether `mine` is 0, not on which of 200
   values it has, together with how many answers have come: nothing but that keeps `acks` below 3. */
mtype = { req, ack, rel };
chan to[3] = [6] of { mtype, byte, byte };
byte inside = 0;
active [3] proctype Site() {
	byte clock = 0, mine = 0, t, w, acks, i;
	byte theirs[3];
	byte me = _pid;
	do
	:: mine == 0 -> clock = (clock < 200 -> clock + 1 : 200); mine = clock; acks = 0;
		to[(me+1)%3]!req(mine, me); to[(me+2)%3]!req(mine, me)
	:: to[me]?req(t, w) -> theirs[w] = t; clock = (t > clock -> t : clock); to[w]!ack(clock, me)
	:: to[me]?ack(t, w) -> acks++
	:: to[me]?rel(t, w) -> theirs[w] = 0
	:: mine != 0 && acks == 2 && (theirs[(me+1)%3] == 0 || mine < theirs[(me+1)%3]) && (theirs[(me+2)%3] == 0 || mine < theirs[(me+2)%3]) ->
progress:	inside++; inside--;
		mine = 0; to[(me+1)%3]!rel(0, me); to[(me+2)%3]!rel(0,me)
	od
}
