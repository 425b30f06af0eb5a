/* GARP with its timers: two stations on a LAN, a registrar that notes whether anybody is a member, and the leave-all process.
   Our own model after IEEE 802.1D and the descriptions in aLive (section 6) and Ciclo (section VIII): an applicant says join twice, unless it hears
   another's; who hears leave or leave-all says so again; the LAN may lose what it carries. Who says what when is a matter of two
   timers: of joining at the applicants, of leaving at the registrar. A progress action is that a user joins or leaves, or that
   all are removed.
   True: unbounded: a user joins and leaves as fast as it can, and the leave-all process does not wait either. Livelock-free: without a user and
   without leave-all an applicant says at most two joins more. With the declared capacities the LAN and an applicant can wait for each other's
   buffers: deadlock.

   expect: buffers VIOLATED
   expect: progress PROVED
   expect: deadlock VIOLATED
   expect: assertions PROVED */

#define OBSERVER 0
#define VERY_ANXIOUS 1
#define ANXIOUS 2
#define QUIET 3
#define LEAVING 4

#define EMPTY 0
#define IN 1
#define LAPSING 2

#define NOBODY 2

mtype = { join, leave, leaveAll,          /* on the LAN; the first two are also a user's wishes */
          registered, removed };          /* what the registrar says */
chan wish[2] = [1] of { mtype };          /* user to applicant */
chan toLan = [1] of { mtype, byte };      /* and from whom */
chan heard[2] = [1] of { mtype };         /* LAN to applicant */
chan toRegistrar = [1] of { mtype };
chan toForwarder = [1] of { mtype };      /* registrar to who forwards what is sent to the group */

proctype User(byte me) {
	do
	:: true ->
progress_joins:
	   wish[me]!join;
progress_leaves:
	   wish[me]!leave
	od
}

proctype Applicant(byte me) {
	mtype it;
	byte state = OBSERVER;
	bool joinTimer = false;
end:	do
	:: wish[me]?it ->
	   if
	   :: it == join -> state = VERY_ANXIOUS
	   :: it == leave -> state = LEAVING
	   fi;
	   joinTimer = true
	:: heard[me]?it ->
	   if
	   :: it == join ->
	      if
	      :: state == VERY_ANXIOUS -> state = ANXIOUS
	      :: state == ANXIOUS -> state = QUIET; joinTimer = false
	      :: else
	      fi
	   :: it == leave || it == leaveAll ->
	      if
	      :: state == ANXIOUS || state == QUIET -> state = VERY_ANXIOUS; joinTimer = true
	      :: else
	      fi
	   fi
	:: joinTimer ->
	   if
	   :: state == VERY_ANXIOUS -> toLan!join(me); state = ANXIOUS
	   :: state == ANXIOUS -> toLan!join(me); state = QUIET; joinTimer = false
	   :: state == LEAVING -> toLan!leave(me); state = OBSERVER; joinTimer = false
	   fi
	od
}

proctype Lan() {
	mtype it;
	byte from;
end:	do
	:: toLan?it(from) ->
	   if
	   :: from != 0 -> heard[0]!it
	   :: true
	   fi;
	   if
	   :: from != 1 -> heard[1]!it
	   :: true
	   fi;
	   if
	   :: toRegistrar!it
	   :: true
	   fi
	od
}

proctype Registrar() {
	mtype it;
	byte state = EMPTY;
	bool leaveTimer = false;
end:	do
	:: toRegistrar?it ->
	   if
	   :: it == join ->
	      leaveTimer = false;
	      if
	      :: state == EMPTY -> toForwarder!registered
	      :: else
	      fi;
	      state = IN
	   :: it == leave || it == leaveAll ->
	      if
	      :: state == IN -> state = LAPSING; leaveTimer = true
	      :: else
	      fi
	   fi
	:: leaveTimer ->
	   leaveTimer = false;
	   if
	   :: state == LAPSING -> state = EMPTY; toForwarder!removed
	   :: else
	   fi
	od
}

proctype LeaveAll() {
	do
	:: true ->
progress_all_leave:
	   toLan!leaveAll(NOBODY)
	od
}

proctype Forwarder() {
	bool open = false;
end:	do
	:: toForwarder?registered -> open = true
	:: toForwarder?removed -> open = false
	od
}

init {
	atomic {
		run User(0); run User(1);
		run Applicant(0); run Applicant(1);
		run Lan(); run Registrar(); run LeaveAll(); run Forwarder()
	}
}
