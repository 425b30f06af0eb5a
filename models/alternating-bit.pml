/* Alternating bit protocol over a medium that loses: the sender repeats its message whenever it likes.
   Our own model of the protocol of Bartlett, Scantlebury and Wilkinson (1969), in the size of IBOC's table 2: three
   processes, four channels, eight message types.
   True: unbounded, since nothing stops the sender from repeating (IBOC: UNKNOWN, it floods the system). Livelocked:
   the sender may repeat for ever. No deadlock: with full channels the medium can always lose. The receiver takes each message
   exactly once, in order: what is new to it has the number it waits for.

   expect: buffers VIOLATED
   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { data, acknowledge };
chan senderToMedium = [2] of { mtype, bit };
chan mediumToReceiver = [2] of { mtype, bit };
chan receiverToMedium = [2] of { mtype, bit };
chan mediumToSender = [2] of { mtype, bit };
byte delivered = 0;                       /* messages accepted by the receiver, minus those confirmed to the sender */

active proctype Sender() {
	bit number = 0;
	bit confirmed;
	do
	:: senderToMedium!data(number)
	:: mediumToSender?acknowledge(confirmed) ->
	   if
	   :: confirmed == number -> atomic { assert(delivered == 1); delivered = 0; number = 1 - number }
	   :: else -> skip
	   fi
	od
}

active proctype Medium() {
	bit b;
	do
	:: senderToMedium?data(b) ->
	   if
	   :: mediumToReceiver!data(b)
	   :: skip                                   /* lost */
	   fi
	:: receiverToMedium?acknowledge(b) ->
	   if
	   :: mediumToSender!acknowledge(b)
	   :: skip
	   fi
	od
}

active proctype Receiver() {
	bit expected = 0;
	bit b;
	do
	:: mediumToReceiver?data(b) ->
	   if
	   :: b == expected ->
progress_delivered:
	      delivered++;
	      expected = 1 - expected
	   :: else -> skip
	   fi;
	   if
	   :: receiverToMedium!acknowledge(b)
	   :: skip                                   /* no acknowledgement this time: the sender repeats */
	   fi
	od
}
