/* Four routers in a square: packets go along one side, then along the other. A node sends its next packet when the last one has arrived, wherever that was.
   The flag of each source is set by whoever takes its packet out: all write to all flags, each looks at its own only.

   expect: buffers PROVED
   expect: bound inq[0] 4
   expect: bound inq[1] 4
   expect: bound inq[2] 4
   expect: bound inq[3] 4 */
#define N 4
chan inq[N] = [4] of { byte, byte };
bool free[N] = true;

proctype Node(byte me) {
	byte to, from, next;
	do
	:: free[me] -> select(next : 0 .. N - 1); free[me] = false; inq[me]!next,me
	:: inq[me]?to,from ->
		if
		:: to == me ->
progress:		free[from] = true
		:: to != me && to % 2 != me % 2 -> inq[me ^ 1]!to,from
		:: to != me && to % 2 == me % 2 -> inq[me ^ 2]!to,from
		fi
	od
}

init {
	atomic {
		byte i;
		for (i : 0 .. N - 1) { run Node(i) }
	}
}
