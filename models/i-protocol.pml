/* i-protocol: the sliding window of Unix-to-Unix copy, with window 2, negative acknowledgements and a medium that loses.
   Our own model after the description of the GNU i-protocol in Dong, Du, Holzmann and Smolka ("Fighting livelock in the
   GNU i-Protocol", cited by aLive and the cycle-dependency study); sequence numbers modulo 4. The medium loses at most
   LOSSES messages in all, and the sender repeats only when nothing else can happen.
   True: bounded; livelock-free: with finitely many losses every run goes on delivering. No deadlock. The receiver delivers in order.

   expect: buffers PROVED
   expect: bound toMedium 2
   expect: bound toReceiver 2
   expect: bound toSender 2
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#ifndef LOSSES
#define LOSSES 2
#endif
#define WINDOW 2
#define NUMBERS 4
mtype = { packet, positive, negative };
chan toMedium = [4] of { mtype, byte };
chan toReceiver = [4] of { mtype, byte };
chan toSender = [4] of { mtype, byte };
byte losses = 0;

active proctype Sender() {
	byte next = 0;                       /* the next number to be used */
	byte oldest = 0;                     /* the oldest that is not acknowledged */
	byte outstanding = 0;
	byte n;
	do
	:: outstanding < WINDOW ->
	   toMedium!packet(next);
	   next = (next + 1) % NUMBERS;
	   outstanding++
	:: toSender?positive(n) ->                        /* everything up to and with n has arrived */
	   do
	   :: outstanding > 0 && (n + NUMBERS - oldest) % NUMBERS < outstanding ->
	      oldest = (oldest + 1) % NUMBERS;
	      outstanding--;
	      if
	      :: (n + 1) % NUMBERS == oldest -> break
	      :: else -> skip
	      fi
	   :: else -> break
	   od
	:: toSender?negative(n) ->                        /* n is missing: repeat it if it is in the window */
	   if
	   :: (n + NUMBERS - oldest) % NUMBERS < outstanding -> toMedium!packet(n)
	   :: else -> skip
	   fi
	:: timeout ->
	   if
	   :: outstanding > 0 -> toMedium!packet(oldest)
	   fi
	od
}

active proctype Medium() {
	byte n;
	do
	:: toMedium?packet(n) ->
	   if
	   :: toReceiver!packet(n)
	   :: losses < LOSSES -> losses++
	   fi
	od
}

active proctype Receiver() {
	byte expected = 0;
	bool kept = false;                   /* the packet after the expected one is here already */
	bool asked = false;                  /* a negative acknowledgement for the expected one is under way */
	byte n;
	do
	:: toReceiver?packet(n) ->
	   if
	   :: n == expected ->
progress_delivered:
	      expected = (expected + 1) % NUMBERS;
	      asked = false;
	      if
	      :: kept -> kept = false; expected = (expected + 1) % NUMBERS
	      :: else -> skip
	      fi;
	      toSender!positive((expected + NUMBERS - 1) % NUMBERS)
	   :: n == (expected + 1) % NUMBERS ->
	      kept = true;
	      if
	      :: !asked -> asked = true; toSender!negative(expected)
	      :: else -> skip
	      fi
	   :: else ->                                     /* an old one again: its acknowledgement is repeated */
	      toSender!positive((expected + NUMBERS - 1) % NUMBERS)
	   fi
	od
}
