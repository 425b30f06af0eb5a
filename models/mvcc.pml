/* Model, views, and concurrency control of a groupware toolkit: users type, a session updates, the views follow.
   Our own model after the description of the MVCC protocol of the Clock toolkit (cited by Ciclo and the cycle-dependency
   study): each user has an input handler and a view; inputs wait for the updater, which works on one input at a time
   (canProcessInput), asks the lock manager, changes the model, and has every view redrawn. Two users: nine processes.
   True: unbounded: a user may type any number of inputs before one is processed (keys), and a view may be slow to echo (echo). Livelock-free: the system comes to rest without new
   inputs (typing is the progress). With declared capacities no deadlock.

   expect: buffers VIOLATED
   expect: bound inputs 2
   expect: bound results[0] 1
   expect: bound results[1] 1
   expect: bound toLocks 2
   expect: bound fromLocks 1
   expect: bound toModel 1
   expect: bound fromModel 1
   expect: bound toView[0] 1
   expect: bound toView[1] 1
   expect: bound fromView[0] 1
   expect: bound fromView[1] 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#define USERS 2
mtype = { key, event, accepted, refused, lockRequest, lockGranted, lockDenied, unlock, change, changed, redraw, drawn };
chan keys[USERS] = [2] of { mtype };             /* user to handler */
chan echo[USERS] = [1] of { mtype };             /* handler to view: show what was typed */
chan inputs = [2] of { mtype, byte };            /* handlers to updater */
chan results[USERS] = [1] of { mtype };          /* updater to handler */
chan toLocks = [1] of { mtype, byte };
chan fromLocks = [1] of { mtype };
chan toModel = [1] of { mtype };
chan fromModel = [1] of { mtype };
chan toView[USERS] = [2] of { mtype };
chan fromView[USERS] = [1] of { mtype };
bool canProcessInput = true;

proctype User(byte me) {
	do
	:: true ->
progress_typed:
	   keys[me]!key
	od
}

proctype Handler(byte me) {
	do
	:: keys[me]?key ->
	   inputs!event(me);
	   if
	   :: results[me]?accepted -> echo[me]!key
	   :: results[me]?refused -> skip
	   fi
	od
}

proctype View(byte me) {
	do
	:: echo[me]?key -> skip
	:: toView[me]?redraw -> fromView[me]!drawn
	od
}

active proctype Updater() {
	byte who, v;
	do
	:: canProcessInput ->
	   inputs?event(who);
	   canProcessInput = false;
	   toLocks!lockRequest(who);
	   if
	   :: fromLocks?lockGranted ->
	      toModel!change;
	      fromModel?changed;
	      v = 0;
	      do
	      :: v < USERS -> toView[v]!redraw; v++
	      :: v == USERS -> break
	      od;
	      do
	      :: v > 0 -> v--; fromView[v]?drawn
	      :: v == 0 -> break
	      od;
	      toLocks!unlock(who);
	      results[who]!accepted
	   :: fromLocks?lockDenied -> results[who]!refused
	   fi
	:: !canProcessInput -> canProcessInput = true
	od
}

active proctype Locks() {
	byte who;
	do
	:: toLocks?lockRequest(who) ->
	   if
	   :: fromLocks!lockGranted; toLocks?unlock(who)
	   :: fromLocks!lockDenied
	   fi
	od
}

active proctype Model() {
	do
	:: toModel?change -> fromModel!changed
	od
}

init {
	byte i = 0;
	atomic {
		do
		:: i < USERS -> run User(i); run Handler(i); run View(i); i++
		:: else -> break
		od
	}
}
