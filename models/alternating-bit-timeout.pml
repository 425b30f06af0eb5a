/* Alternating bit protocol in which the sender repeats only when nothing else can happen.
   Our own model, as alternating-bit.pml, but the repetition is guarded by Promela's timeout.
   True: bounded: there is one message under way at most. Livelocked: the medium may lose every message. No deadlock. A
   static argument that lets timeout hold at any time cannot see the bound; a search can.

   expect: buffers PROVED
   expect: bound senderToMedium 1
   expect: bound mediumToReceiver 1
   expect: bound receiverToMedium 1
   expect: bound mediumToSender 1
   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { data, acknowledge };
chan senderToMedium = [2] of { mtype, bit };
chan mediumToReceiver = [2] of { mtype, bit };
chan receiverToMedium = [2] of { mtype, bit };
chan mediumToSender = [2] of { mtype, bit };

active proctype Sender() {
	bit number = 0;
	bit confirmed;
	senderToMedium!data(number);
	do
	:: timeout -> senderToMedium!data(number)
	:: mediumToSender?acknowledge(confirmed) ->
	   if
	   :: confirmed == number ->
	      number = 1 - number;
	      senderToMedium!data(number)
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
	   :: skip
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
	      expected = 1 - expected
	   :: else -> skip
	   fi;
	   receiverToMedium!acknowledge(b)
	od
}
