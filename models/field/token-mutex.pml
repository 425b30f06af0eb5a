/* The token passes on only when asked for: each site asks its neighbour, who hands on the request or the token.

   expect: buffers PROVED
   expect: bound left[0] 1
   expect: bound left[1] 1
   expect: bound left[2] 1
   expect: bound right[0] 1
   expect: bound right[1] 1
   expect: bound right[2] 1
   expect: progress PROVED
   expect: deadlock PROVED */
#define N 3
mtype = { ask, token };
chan left[N] = [2] of { mtype };
chan right[N] = [2] of { mtype };

active [N] proctype Site() {
	bool have = (_pid == 0), asked = false, wanted = false;
	byte me = _pid;
	do
	:: have && wanted -> have = false; wanted = false; right[(me + 1) % N]!token
	:: !have && !asked -> asked = true; left[(me + N - 1) % N]!ask
	:: left[me]?ask -> wanted = true
	:: right[me]?token -> have = true; asked = false;
progress:	skip
	od
}
