/* Two sites take turns by requests with time stamps: whoever wants to enter has a stamp, which is not 0, and is answered once.
   The clocks have thousands of values, but all that counts is whether a stamp is 0 and whether the answer has come.

   expect: buffers PROVED
   expect: bound to[0] 2
   expect: bound to[1] 2 */
mtype = { request, reply };
chan to[2] = [2] of { mtype, short };

active [2] proctype Site() {
	short clock = 0, mine = 0, theirs;
	bool answered, owes;
	byte me = _pid;
	do
	:: mine == 0 ->
		clock = (clock < 30000 -> clock + 1 : 1);
		mine = clock; answered = false;
		to[1 - me]!request(mine)
	:: to[me]?request(theirs) ->
		clock = (theirs > clock -> theirs : clock);
		if
		:: mine != 0 && (mine < theirs || (mine == theirs && me == 0)) -> owes = true
		:: else -> to[1 - me]!reply(0)
		fi
	:: to[me]?reply(_) -> answered = true
	:: mine != 0 && answered ->
progress:	mine = 0;
		if
		:: owes -> owes = false; to[1 - me]!reply(0)
		:: else
		fi
	od
}
