/* Radio link protocol for data over CDMA: two stations exchange one frame each per frame time.
   Our own model after the published description of the protocol (IS-707): a three-way synchronisation (SYNC, SYNC/ACK, ACK),
   numbered data frames, NAK for what is missing, idle frames otherwise, and reset when a frame was asked for too often.
   Time is modelled by answering each frame with exactly one frame; a frame may be erased on the air, which its receiver notices.
   In the kind of Ciclo's model: two processes with many local steps, a buffer each way, and one for frames that wait to be repeated.
   True: bounded; livelocked for "a data frame is delivered" (erasures or synchronisation for ever). No deadlock.

   expect: buffers PROVED
   expect: bound air[0] 2
   expect: bound air[1] 2
   expect: bound repeat[0] 1
   expect: bound repeat[1] 1
   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

#define NUMBERS 4
mtype = { sync, syncAck, ack, data, nak, idle };
chan air[2] = [2] of { mtype, byte };
chan repeat[2] = [2] of { byte };              /* numbers asked for again */

proctype Station(byte me) {
	mtype frame = sync;                        /* what to send in the next frame time */
	mtype got;
	bool synchronised = false;
	byte next = 0;                             /* next number to send */
	byte expected = 0;                         /* next number to deliver */
	byte asked = 0;                            /* how often the expected frame was asked for */
	byte n;
	air[1 - me]!sync(0);
	do
	:: air[me]?got(n);
	   if
	   :: got = idle; n = NUMBERS                     /* erased on the air */
	   :: skip
	   fi;
	   if
	   :: got == sync ->
	      synchronised = false; next = 0; expected = 0; asked = 0;
	      do
	      :: repeat[me]?n
	      :: empty(repeat[me]) -> break
	      od;
	      frame = syncAck; n = 0
	   :: got == syncAck ->
	      synchronised = true; next = 0; expected = 0; asked = 0;
	      frame = ack; n = 0
	   :: got == ack ->
	      synchronised = true;
	      frame = idle
	   :: got == data && synchronised ->
	      if
	      :: n == expected ->
progress_delivered:
	         expected = (expected + 1) % NUMBERS;
	         asked = 0;
	         frame = idle
	      :: n != expected ->
	         if
	         :: asked < 2 -> asked++; frame = nak; n = expected
	         :: asked == 2 -> synchronised = false; asked = 0; frame = sync
	         fi
	      fi
	   :: got == data && !synchronised -> frame = sync
	   :: got == nak ->
	      if
	      :: len(repeat[me]) < 2 -> repeat[me]!n
	      :: len(repeat[me]) >= 2 -> skip
	      fi;
	      frame = idle
	   :: got == idle -> frame = idle
	   fi;
	   if                                             /* an idle frame time can carry something useful */
	   :: frame == idle && synchronised && nempty(repeat[me]) -> repeat[me]?n; frame = data
	   :: frame == idle && synchronised && empty(repeat[me]) ->
	      if
	      :: n = next; next = (next + 1) % NUMBERS; frame = data
	      :: n = 0
	      fi
	   :: frame == idle && !synchronised -> frame = sync; n = 0
	   :: frame != idle -> skip
	   fi;
	   air[1 - me]!frame(n)
	od
}

init {
	atomic {
		run Station(0);
		run Station(1)
	}
}
