/* GARP, group address registration: users join and leave a multicast group; a registrar keeps track of the members.
   Our own model after the published protocol (IEEE 802.1D) and the description in aLive, section 6: a progress action is
   that a user joins or leaves, or that the system removes all users. A leave makes the registrar ask the
   other applicant whether anybody is left.
   With the leave-all process, which now and then has everybody register again.
   True: unbounded: the leave-all process does not wait for anything, so its messages pile up. Livelock-free: whatever goes on for ever
   contains wishes of users or leave-all messages. With the declared capacities the applicants, the medium and the registrar can fill each other's buffers: deadlock.

   expect: buffers VIOLATED
   expect: progress PROVED
   expect: deadlock VIOLATED
   expect: assertions PROVED */

mtype = { wantJoin, wantLeave, joined, left,              /* user and applicant */
          join, leave, rejoin, member, empty_,            /* applicant to registrar, over the medium */
          confirm, query, leaveAll };                     /* registrar to applicant */
chan fromUser[2] = [1] of { mtype };
chan toUser[2] = [1] of { mtype };
chan toMedium = [3] of { mtype, byte };
chan toRegistrar = [3] of { mtype, byte };
chan toApplicant[2] = [2] of { mtype };

proctype User(byte me) {
	do
	:: true ->
progress_user_joins:
	   fromUser[me]!wantJoin;
	   toUser[me]?joined;
progress_user_leaves:
	   fromUser[me]!wantLeave;
	   toUser[me]?left
	od
}

proctype Applicant(byte me) {
	bool isMember = false;
	do
	:: fromUser[me]?wantJoin ->
	   toMedium!join(me);
	   do
	   :: toApplicant[me]?confirm -> break
	   :: toApplicant[me]?query -> toMedium!empty_(me)
	   :: toApplicant[me]?leaveAll -> skip
	   od;
	   isMember = true;
	   toUser[me]!joined
	:: fromUser[me]?wantLeave ->
	   isMember = false;
	   toMedium!leave(me);
	   do
	   :: toApplicant[me]?confirm -> break
	   :: toApplicant[me]?query -> toMedium!empty_(me)
	   :: toApplicant[me]?leaveAll -> skip
	   od;
	   toUser[me]!left
	:: toApplicant[me]?query ->
	   if
	   :: isMember -> toMedium!member(me)
	   :: !isMember -> toMedium!empty_(me)
	   fi
	:: toApplicant[me]?leaveAll ->
	   if
	   :: isMember -> toMedium!rejoin(me)
	   :: !isMember -> skip
	   fi
	od
}

active proctype Medium() {
	mtype what;
	byte who;
	do
	:: toMedium?what(who) -> toRegistrar!what(who)
	od
}

active proctype Registrar() {
	bool registered = false;
	byte who, other;
	do
	:: toRegistrar?join(who) -> registered = true; toApplicant[who]!confirm
	:: toRegistrar?rejoin(who) -> registered = true
	:: toRegistrar?leave(who) ->
	   other = 1 - who;
	   toApplicant[other]!query;
	   do                                             /* until the other applicant has answered */
	   :: toRegistrar?member(other) -> registered = true; break
	   :: toRegistrar?empty_(other) -> registered = false; break
	   :: toRegistrar?join(other) -> registered = true; toApplicant[other]!confirm
	   :: toRegistrar?leave(other) -> toApplicant[other]!confirm
	   :: toRegistrar?rejoin(other) -> registered = true
	   od;
	   toApplicant[who]!confirm
	od
}

active proctype LeaveAll() {
	do
	:: true ->
progress_all_removed:
	   toApplicant[0]!leaveAll;
	   toApplicant[1]!leaveAll
	od
}

init {
	atomic {
		run User(0); run User(1);
		run Applicant(0); run Applicant(1)
	}
}
