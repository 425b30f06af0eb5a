/* Train gate: N trains approach a bridge with one track; a gate keeps a queue of those that it has stopped.
   Our own model of the well-known family; the queue is an array, size is set with -DN=...
   True: never two trains on the bridge; bounded; no deadlock.
   Size of the full graph, every statement a step, as below. With -DN=6: 84,037 / 130,748; with -DN=7: 630,071 / 958,554.

   expect: buffers PROVED
   expect: deadlock PROVED
   expect: assertions PROVED
   expect: states 12941 transitions 20562 */

#ifndef N
#define N 5
#endif
mtype = { approach, leave, stop, go };
chan toGate = [0] of { mtype, byte };
chan toTrain[N] = [0] of { mtype };
byte onBridge = 0;

proctype Train(byte me) {
	do
	:: toGate!approach(me);
	   if
	   :: toTrain[me]?stop -> toTrain[me]?go
	   :: toTrain[me]?go
	   fi;
	   onBridge++;
	   assert(onBridge == 1);
	   onBridge--;
	   toGate!leave(me)
	od
}

active proctype Gate() {
	byte queue[N];
	byte length = 0;
	byte who, i;
	do
	:: toGate?approach(who) ->
	   queue[length] = who;
	   length++;
	   if
	   :: length == 1 -> toTrain[who]!go
	   :: length > 1 -> toTrain[who]!stop
	   fi
	:: toGate?leave(who) ->
	   assert(who == queue[0]);
	   i = 1;
	   do
	   :: i < length -> queue[i - 1] = queue[i]; i++
	   :: i == length -> break
	   od;
	   length--;
	   queue[length] = 0;
	   if
	   :: length > 0 -> toTrain[queue[0]]!go
	   :: length == 0 -> skip
	   fi
	od
}

init {
	byte i = 0;
	atomic {
		do
		:: i < N -> run Train(i); i++
		:: else -> break
		od
	}
}
