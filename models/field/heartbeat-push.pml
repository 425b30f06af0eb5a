/* A failure detector to which the watched push: their hearts beat whenever they like; alarms are acknowledged.
   True: beat grows for ever; the others are bounded.

   expect: buffers VIOLATED
   expect: bound alarm 1
   expect: bound calm 1
   expect: deadlock PROVED */
chan beat = [3] of { byte };
chan alarm = [1] of { byte };
chan calm = [1] of { byte };

active [2] proctype Watched() { do :: beat!_pid od }

active proctype Monitor() {
	byte who, missed = 0;
	do
	:: beat?who -> missed = 0
	:: empty(beat) ->
		if
		:: missed < 3 -> missed++
		:: else -> alarm!missed; calm?missed
		fi
	od
}

active proctype Operator() { byte n; do :: alarm?n -> calm!0 od }
