/* A timer as a process: set, cancel and expire cross each other; each set is answered by exactly one of expired and cancelled.

   expect: buffers PROVED
   expect: bound timer 3
   expect: bound user 2
   expect: bound peer 1
   expect: deadlock PROVED */
mtype = { set, cancel, expired, cancelled, work, result };
chan timer = [2] of { mtype };
chan user = [2] of { mtype };
chan peer = [1] of { mtype };

active proctype User() {
	do
	:: timer!set; peer!work;
		if
		:: user?result -> timer!cancel;
			if
			:: user?expired
			:: user?cancelled
			fi
		:: user?expired -> user?result
		fi
	od
}

active proctype Timer() {
	do
	:: timer?set ->
		if
		:: timer?cancel -> user!cancelled
		:: user!expired
		fi
	:: timer?cancel
	od
}

active proctype Peer() { do :: peer?work -> user!result od }
