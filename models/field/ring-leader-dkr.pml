/* Dolev, Klawe and Rodeh in a ring of four, as in textbooks: processes become passive and relay.

   expect: buffers PROVED
   expect: bound q[0] 3
   expect: bound q[1] 3
   expect: bound q[2] 2
   expect: bound q[3] 2
   expect: deadlock PROVED */
#define N 4
#define L 10
byte I;
mtype = { one, two, winner };
chan q[N] = [L] of { mtype, byte };

proctype node(chan in, out; byte mynumber) {
	bit Active = 1, know_winner = 0;
	byte nr, maximum = mynumber, neighbourR;
	out!one(mynumber);
end:	do
	:: in?one(nr) ->
		if
		:: Active ->
			if
			:: nr != maximum -> out!two(nr); neighbourR = nr
			:: else -> know_winner = 1; out!winner(nr)
			fi
		:: else -> out!one(nr)
		fi
	:: in?two(nr) ->
		if
		:: Active ->
			if
			:: neighbourR > nr && neighbourR > maximum -> maximum = neighbourR; out!one(neighbourR)
			:: else -> Active = 0
			fi
		:: else -> out!two(nr)
		fi
	:: in?winner(nr) ->
		if
		:: know_winner
		:: else -> out!winner(nr)
		fi;
		break
	od
}

init {
	byte proc = 1;
	atomic {
		do
		:: proc <= N -> run node(q[proc - 1], q[proc % N], (N + 2 - proc) % N + 1); proc++
		:: proc > N -> break
		od
	}
}
