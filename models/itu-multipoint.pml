/* Multipoint communication service: two conference nodes connect their domains, users attach, join a channel, and send.
   Our own model after the service that ITU-T T.122 and T.125 describe: the top provider owns the domain; the lower provider passes its user's
   requests up and the confirmations down; data goes up to the top provider and from there to everybody.
   True: bounded; its reachable states are finite whatever the capacities. Livelock-free with "data delivered" or "user leaves" as progress.
   No deadlock.

   expect: buffers PROVED
   expect: bound fromUser[0] 1
   expect: bound fromUser[1] 1
   expect: bound toUser[0] 1
   expect: bound toUser[1] 1
   expect: bound up 1
   expect: bound down 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { connectRequest, connectResponse,
          attachRequest, attachConfirm, joinRequest, joinConfirm,
          sendRequest, sendDone, detachRequest, detachConfirm };
chan fromUser[2] = [2] of { mtype };             /* user i to provider i */
chan toUser[2] = [3] of { mtype };
chan up = [3] of { mtype };                      /* provider 1 to provider 0, which is the top */
chan down = [3] of { mtype };

proctype User(byte me) {
	bool joined;
	do
	:: fromUser[me]!attachRequest;
	   toUser[me]?attachConfirm;
	   joined = false;
	   do
	   :: !joined -> fromUser[me]!joinRequest; toUser[me]?joinConfirm; joined = true
	   :: joined ->
	      fromUser[me]!sendRequest;
progress_data_sent:
	      toUser[me]?sendDone
	   :: fromUser[me]!detachRequest;
progress_detached:
	      toUser[me]?detachConfirm;
	      break
	   od
	od
}

active proctype TopProvider() {
	up?connectRequest;
	down!connectResponse;
	do
	:: fromUser[0]?attachRequest -> toUser[0]!attachConfirm
	:: fromUser[0]?joinRequest -> toUser[0]!joinConfirm
	:: fromUser[0]?sendRequest -> toUser[0]!sendDone
	:: fromUser[0]?detachRequest -> toUser[0]!detachConfirm
	:: up?attachRequest -> down!attachConfirm
	:: up?joinRequest -> down!joinConfirm
	:: up?sendRequest -> down!sendDone
	:: up?detachRequest -> down!detachConfirm
	od
}

active proctype LowerProvider() {
	mtype m;
	up!connectRequest;
	down?connectResponse;
	do
	:: fromUser[1]?m -> up!m
	:: down?m -> toUser[1]!m
	od
}

init {
	atomic {
		run User(0);
		run User(1)
	}
}
