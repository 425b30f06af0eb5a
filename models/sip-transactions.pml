/* SIP, a process for each transaction: a proxy starts one for each call that comes in.
   Our own model after RFC 3261, of the size that Ciclo's table II gives (five proctypes, any number of processes, four buffers): every request has
   an answer of its own, also the cancel that crosses the answer to the call. The next call waits until the process of the last one is gone.
   True: bounded: a caller has one call at a time, and whoever asks waits for what is answered; but the number of processes that are
   started has no limit. Livelock-free with the start of each call as progress. No deadlock.

   expect: buffers PROVED
   expect: bound toProxy 2
   expect: bound toCaller 2
   expect: bound toCallee 3
   expect: bound fromCallee 2
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { invite, ack, bye, cancel,            /* requests */
          trying, final, byeOk, cancelOk };    /* answers; a final one with its code */
chan toProxy = [3] of { mtype, short };
chan toCaller = [3] of { mtype, short };
chan toCallee = [3] of { mtype, short };
chan fromCallee = [3] of { mtype, short };

proctype Caller() {
	short code;
	do
	:: toProxy!invite(0);
progress_new_call:
	   toCaller?trying(_);
	   if
	   :: toCaller?final(code)
	   :: toProxy!cancel(0);
	      if
	      :: toCaller?cancelOk(_) -> toCaller?final(code)
	      :: toCaller?final(code) -> toCaller?cancelOk(_)
	      fi
	   fi;
	   toProxy!ack(0);
	   if
	   :: code == 200 -> toProxy!bye(0); toCaller?byeOk(_)
	   :: else
	   fi
	od
}

proctype Proxy() {
end:	do
	:: toProxy?invite(_) -> toCaller!trying(100); run Transaction(); _nr_pr == 4
	od
}

proctype Transaction() {
	short code;
	toCallee!invite(0);
	if
	:: fromCallee?final(code) ->
	   toCaller!final(code);
	   if
	   :: toProxy?ack(_)
	   :: toProxy?cancel(_) -> toCaller!cancelOk(200); toProxy?ack(_)
	   fi
	:: toProxy?cancel(_) ->
	   toCallee!cancel(0);
	   if
	   :: fromCallee?cancelOk(_) -> fromCallee?final(code)
	   :: fromCallee?final(code) -> fromCallee?cancelOk(_)
	   fi;
	   toCaller!cancelOk(200);
	   toCaller!final(code);
	   toProxy?ack(_)
	fi;
	toCallee!ack(0);
	if
	:: code == 200 -> toProxy?bye(_); toCallee!bye(0); fromCallee?byeOk(_); toCaller!byeOk(200)
	:: else
	fi
}

proctype Callee() {
	bool talks;
end:	do
	:: toCallee?invite(_) ->
	   talks = false;
	   if
	   :: fromCallee!final(200); talks = true
	   :: fromCallee!final(486)
	   :: toCallee?cancel(_) -> fromCallee!cancelOk(200); fromCallee!final(487)
	   fi;
	   if
	   :: toCallee?ack(_)
	   :: toCallee?cancel(_) -> fromCallee!cancelOk(200); toCallee?ack(_)
	   fi;
	   if
	   :: talks -> toCallee?bye(_); fromCallee!byeOk(200)
	   :: else
	   fi
	od
}

init {
	atomic {
		run Proxy(); run Callee(); run Caller()
	}
}
