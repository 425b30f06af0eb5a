/* Chang and Roberts: only the largest identity comes all the way round; the leader starts the next election.

   expect: buffers PROVED
   expect: bound c[0] 1
   expect: bound c[1] 2
   expect: bound c[2] 2
   expect: progress PROVED
   expect: deadlock PROVED */
#define N 3
mtype = { elect, leader };
chan c[N] = [N] of { mtype, byte };

active [N] proctype Station() {
	byte id = _pid, x;
	c[(id + 1) % N]!elect(id);
	do
	:: c[id]?elect(x) ->
		if
		:: x > id -> c[(id + 1) % N]!elect(x)
		:: x == id -> c[(id + 1) % N]!leader(id)
		:: x < id
		fi
	:: c[id]?leader(x) ->
		if
		:: x == id ->
progress:		c[(id + 1) % N]!elect(id)
		:: else -> c[(id + 1) % N]!leader(x); c[(id + 1) % N]!elect(id)
		fi
	od
}
