/* A medium that forwards what it gets: the message sent is the message received, kept in a variable meanwhile.
   Our own model after Ciclo, figure 4, section VI-B (only the medium's forwarding step is shown there; Server and
   Client are ours). Four combinations of receive and send look possible in the step, two are.
   True: bounded; the client asks again only after it was answered.

   expect: buffers PROVED
   expect: bound c2s 1
   expect: bound s2m 1
   expect: bound m2c 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { ack, rej, ask };
chan c2s = [1] of { mtype };
chan s2m = [1] of { mtype };
chan m2c = [1] of { mtype };

active proctype Medium() {
	mtype msg;
	do
	:: s2m?msg -> m2c!msg
	od
}

active proctype Server() {
	do
	:: c2s?ask ->
	   if
	   :: s2m!ack
	   :: s2m!rej
	   fi
	od
}

active proctype Client() {
	do
	:: c2s!ask;
	   if
	   :: m2c?ack -> progress_served: skip
	   :: m2c?rej -> progress_refused: skip
	   fi
	od
}
