/* A client that may have three requests under way: the cycle that asks depends on the cycle that takes replies.
   Our own model after the cycle-dependency study,
   figure 1, section 2; line n of the figure is line n + 15 here (the progress label stands on the figure's line 6).
   True: bounded, at most three messages are under way; livelock-free: every three times the left cycle is
   repeated, the right one is. No deadlock.

   expect: buffers PROVED
   expect: bound toServer 3
   expect: bound fromServer 3
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { request, reply };
chan toServer = [3] of { mtype }; chan fromServer = [3] of { mtype };
active proctype client() {
	int x = 0;
	do
	:: (x < 3) -> toServer!request; x++
	:: (x == 3) ->
		progress_reply: fromServer?reply; x--
	od }

active proctype server() {
	do
	:: toServer?request -> fromServer!reply
	od }
