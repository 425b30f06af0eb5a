/* Credit-based flow control with recovery of lost credits, on four links.
   Our own model of the scheme that link standards such as Fibre Channel describe (buffer-to-buffer credits): a sender spends a credit
   for each frame; the receiver gives it back, or forgets to; what was forgotten is counted and given back later at
   once. In the size of Ciclo's model: four senders, four receivers, eight buffers, each link's credits counted in the sender.
   True: bounded: credits in hand + frames + credits coming back + credits forgotten = CREDITS on each link. Livelock-free:
   no run goes on for ever without frames being taken. No deadlock.

   expect: buffers PROVED
   expect: bound frames[0] 3
   expect: bound frames[1] 3
   expect: bound frames[2] 3
   expect: bound frames[3] 3
   expect: bound credits[0] 3
   expect: bound credits[1] 3
   expect: bound credits[2] 3
   expect: bound credits[3] 3
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#ifndef LINKS
#define LINKS 4
#endif
#define CREDITS 3
mtype = { frame, credit };
chan frames[LINKS] = [CREDITS] of { mtype };
chan credits[LINKS] = [CREDITS] of { mtype, byte };

proctype Sender(byte link) {
	byte left = CREDITS;
	byte given;
	do
	:: left > 0 -> frames[link]!frame; left--
	:: credits[link]?credit(given) ->
	   left = left + given;
	   assert(left <= CREDITS)
	od
}

proctype Receiver(byte link) {
	byte forgotten = 0;
	byte taken;
	do
	:: frames[link]?frame ->
progress_frame_taken:
	   taken = 1;
	   if
	   :: credits[link]!credit(taken)
	   :: forgotten = forgotten + taken
	   fi
	:: forgotten > 0 -> credits[link]!credit(forgotten); forgotten = 0
	od
}

init {
	byte i = 0;
	atomic {
		do
		:: i < LINKS -> run Sender(i); run Receiver(i); i++
		:: else -> break
		od
	}
}
