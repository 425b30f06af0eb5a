/* A failure detector that pulls: it asks, and suspects after a time-out; who is suspected may answer late.

   expect: buffers PROVED
   expect: bound ask[0] 1
   expect: bound ask[1] 1
   expect: bound answer 2
   expect: progress PROVED
   expect: deadlock PROVED */
mtype = { ping, pong };
chan ask[2] = [1] of { mtype };
chan answer = [2] of { mtype, byte };

active proctype Detector() {
	bool suspected[2];
	bool asked[2];
	byte who;
	do
	:: !asked[0] -> ask[0]!ping; asked[0] = true
	:: !asked[1] -> ask[1]!ping; asked[1] = true
	:: answer?pong(who) -> progress: suspected[who] = false; asked[who] = false
	:: asked[0] && !suspected[0] -> suspected[0] = true
	:: asked[1] && !suspected[1] -> suspected[1] = true
	od
}

proctype Target(byte me) {
	do
	:: ask[me]?ping -> answer!pong(me)
	od
}
init { run Target(0); run Target(1) }
