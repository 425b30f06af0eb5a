/* Bounded retransmission protocol: files of several frames over lossy one-place channels, given up after too many tries.
   Our own model of the published protocol (the Philips remote control protocol of Helmink, Sellink and Vaandrager): frames carry first, last
   and an alternating bit; the sender counts its tries and tells its client ok, not ok or do not know.
   True: bounded; no deadlock. (When the receiver says the file is complete the sender never says "not ok".)
   Size of the full graph, every statement a step, as below. With -DFRAMES=200 -DTRIES=100: 443,593 / 504,539.

   expect: buffers PROVED
   expect: bound frames 1
   expect: bound acknowledgements 1
   expect: deadlock PROVED
   expect: assertions PROVED
   expect: states 2016 transitions 2341 */

#ifndef FRAMES
#define FRAMES 16
#endif
#ifndef TRIES
#define TRIES 5
#endif
mtype = { ok, notOk, unknown, running };
chan frames = [1] of { bool, bool, bit };        /* first, last, number */
chan acknowledgements = [1] of { bit };
chan sync = [0] of { bool };
mtype verdict = running;
bool complete = false;

active proctype Sender() {
	byte n, tries;
	bit number = 0;
	do
	:: verdict = running;
	   complete = false;
	   n = 1;
	   do
	   :: n <= FRAMES ->
	      tries = 0;
again:	      if
	      :: tries < TRIES ->
	         tries++;
	         frames!(n == 1), (n == FRAMES), number;
	         if
	         :: acknowledgements?eval(number) -> number = 1 - number; n++
	         :: timeout -> goto again
	         fi
	      :: tries == TRIES ->
	         if
	         :: n == FRAMES -> verdict = unknown
	         :: n < FRAMES -> verdict = notOk
	         fi;
	         break
	      fi
	   :: n > FRAMES -> verdict = ok; break
	   od;
	   assert(!(verdict == notOk && complete));
	   assert(!(verdict == ok && !complete));
	   number = 0;
	   sync!true                                      /* both sides begin a new file */
	od
}

active proctype Receiver() {
	bool first, last;
	bit number, expected;
	do
	:: expected = 0;
	   do
	   :: frames?first, last, number ->
	      if
	      :: skip                                     /* the frame was lost */
	      :: if
	         :: number == expected ->
	            expected = 1 - expected;
	            if
	            :: last -> complete = true
	            :: !last -> skip
	            fi
	         :: number != expected -> skip
	         fi;
	         if
	         :: acknowledgements!number
	         :: skip                                  /* the acknowledgement was lost */
	         fi
	      fi
	   :: sync?_ -> break
	   od
	od
}
