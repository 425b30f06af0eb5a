/* Trains on a bridge: two directions, one track, a controller that lets one train pass at a time.
   Our own model after the published example (the bridge controller of the Rebeca collection, cited by Ciclo): a train announces
   itself, waits for the green light, crosses, and reports that it left; the controller remembers who waits.
   True: bounded; livelock-free: each infinite run lets trains cross again and again. No deadlock. Never two trains on the bridge.

   expect: buffers PROVED
   expect: bound toController 3
   expect: bound toTrain[0] 1
   expect: bound toTrain[1] 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { arrive, leave, pass };
chan toController = [2] of { mtype, byte };
chan toTrain[2] = [1] of { mtype };
byte onBridge = 0;

proctype Train(byte me) {
	do
	:: toController!arrive(me);
	   toTrain[me]?pass;
	   onBridge++;
	   assert(onBridge == 1);
progress_crossed:
	   onBridge--;
	   toController!leave(me)
	od
}

active proctype Controller() {
	bool waiting[2];
	bool free = true;
	byte who;
	do
	:: toController?arrive(who) ->
	   if
	   :: free -> free = false; toTrain[who]!pass
	   :: !free -> waiting[who] = true
	   fi
	:: toController?leave(who) ->
	   if
	   :: waiting[1 - who] -> waiting[1 - who] = false; toTrain[1 - who]!pass
	   :: !waiting[1 - who] && waiting[who] -> waiting[who] = false; toTrain[who]!pass
	   :: !waiting[1 - who] && !waiting[who] -> free = true
	   fi
	od
}

init {
	run Train(0);
	run Train(1)
}
