/* Two-phase commit: the coordinator asks all in a loop, counts their votes, tells all in a loop.

   expect: buffers PROVED
   expect: bound part[0] 1
   expect: bound part[1] 1
   expect: bound part[2] 1
   expect: bound coord 3
   expect: progress PROVED
   expect: deadlock PROVED */
#define N 3
mtype = { prepare, yes, no, commit, abort, acked };
chan part[N] = [1] of { mtype };
chan coord = [N] of { mtype, byte };

active proctype Coordinator() {
	byte i, yesses, who;
	do
	:: i = 0; yesses = 0;
		do
		:: i < N -> part[i]!prepare; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < N ->
			if
			:: coord?yes(who) -> yesses++
			:: coord?no(who)
			fi;
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < N && yesses == N -> part[i]!commit; i++
		:: i < N && yesses < N -> part[i]!abort; i++
		:: i == N -> break
		od;
		for (i : 1 .. N) { coord?acked(who) }
progress:	skip
	od
}

proctype Participant(byte me) {
end:	do
	:: part[me]?prepare ->
		if
		:: coord!yes(me)
		:: coord!no(me)
		fi;
		if
		:: part[me]?commit
		:: part[me]?abort
		fi;
		coord!acked(me)
	od
}

init { atomic { run Participant(0); run Participant(1); run Participant(2) } }
