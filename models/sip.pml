/* SIP call set-up: a proxy starts one process for each call that comes in; any number of them over time.
   Our own model after the message flow of RFC 3261 (INVITE, 100, 180, 200, ACK, BYE, CANCEL), with four buffers, and processes
   that are created as the model runs, as in Ciclo's table II.
   True: bounded: a caller has one call at a time; but the number of call processes that are created has no limit. Livelock-free with the
   start of each call as progress. No deadlock.

   expect: buffers PROVED
   expect: bound toProxy 2
   expect: bound toCaller 3
   expect: bound toCallee 2
   expect: bound fromCallee 2
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { invite, trying, ringing, ok, ack, bye, cancel, terminated, busy };
chan toProxy = [3] of { mtype };
chan toCaller = [3] of { mtype };
chan toCallee = [3] of { mtype };
chan fromCallee = [3] of { mtype };
chan callEnded = [0] of { mtype };

active proctype Caller() {
	do
	:: toProxy!invite;
progress_new_call:
	   toCaller?trying;
	   if
	   :: toCaller?ringing ->
	      if
	      :: toCaller?ok -> toProxy!ack; toProxy!bye; toCaller?ok
	      :: toProxy!cancel;
	         if
	         :: toCaller?terminated
	         :: toCaller?ok ->                        /* the answer and the cancel crossed: end the call */
	            toCaller?terminated
	         fi
	      fi
	   :: toCaller?busy -> toProxy!ack
	   fi
	od
}

active proctype Proxy() {
	do
	:: toProxy?invite -> toCaller!trying; run Call();
	   callEnded?ok
	od
}

proctype Call() {
	toCallee!invite;
	if
	:: fromCallee?busy -> toCaller!busy; toProxy?ack; goto over
	:: fromCallee?ringing -> toCaller!ringing
	fi;
	if
	:: fromCallee?ok ->
	   toCaller!ok;
	   if
	   :: toProxy?ack -> toCallee!ack; toProxy?bye; toCallee!bye; fromCallee?ok; toCaller!ok
	   :: toProxy?cancel -> toCallee!cancel; fromCallee?terminated; toCaller!terminated
	   fi
	:: toProxy?cancel ->
	   toCallee!cancel;
	   if
	   :: fromCallee?terminated -> toCaller!terminated
	   :: fromCallee?ok -> fromCallee?terminated; toCaller!terminated
	   fi
	fi;
over:	callEnded!ok
}

active proctype Callee() {
	do
	:: toCallee?invite ->
	   if
	   :: fromCallee!busy
	   :: fromCallee!ringing;
	      if
	      :: fromCallee!ok;
	         if
	         :: toCallee?ack -> toCallee?bye; fromCallee!ok
	         :: toCallee?cancel -> fromCallee!terminated
	         fi
	      :: toCallee?cancel -> fromCallee!terminated
	      fi
	   fi
	od
}
