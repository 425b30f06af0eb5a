/* Lamport's mutual exclusion for two sites: request, acknowledge, release; each site keeps the other's request in a variable.

   expect: buffers PROVED
   expect: bound to[0] 3
   expect: bound to[1] 3
   expect: progress PROVED
   expect: deadlock PROVED */
mtype = { req, ack, rel };
chan to[2] = [3] of { mtype, byte };
byte inside = 0;

active [2] proctype Site() {
	byte clock = 0, mine = 0, theirs = 0, t;
	bool acked = false;
	byte me = _pid, other = 1 - _pid;
	do
	:: mine == 0 -> clock = (clock < 20 -> clock + 1 : 20); mine = clock; acked = false; to[other]!req(mine)
	:: to[me]?req(t) -> theirs = t; clock = (t > clock -> t : clock); to[other]!ack(clock)
	:: to[me]?ack(t) -> acked = true
	:: to[me]?rel(t) -> theirs = 0
	:: mine != 0 && acked && (theirs == 0 || mine < theirs || (mine == theirs && me == 0)) ->
		inside++;
progress:	inside--;
		mine = 0; to[other]!rel(0)
	od
}
