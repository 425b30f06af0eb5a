/* Livelock: everybody moves and nothing gets done. `progress` marks what we want again and again.
   The medium may lose every message, and the sender never notices: step through the loop.
   Mend it: let the medium lose at most three messages in a row.

   expect: progress VIOLATED
   expect: deadlock PROVED */

mtype = { data, acknowledge };
chan out = [1] of { mtype };
chan back = [1] of { mtype };
chan delivered = [1] of { mtype };

active proctype Sender() {
	do
	:: out!data;
	   back?acknowledge
	od
}

active proctype Medium() {
	do
	:: out?data -> delivered!data
	:: out?data -> back!acknowledge      /* lost, and nobody noticed */
	od
}

active proctype Receiver() {
	do
	:: delivered?data ->
progress_received:
	   back!acknowledge
	od
}
