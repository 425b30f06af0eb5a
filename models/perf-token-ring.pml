/* Token ring: N stations, a token goes round; a station that has it may put a frame on the ring, which comes back to it.
   Our own model; -DN=... sets the number of stations.
   True: bounded: there is one thing on the ring at any time. No deadlock. At most one station sends.
   Size of the full graph, every statement a step, as below. With -DN=4: 9,201 / 29,946.

   expect: buffers PROVED
   expect: bound link[0] 1
   expect: bound link[1] 1
   expect: bound link[2] 1
   expect: bound link[3] 1
   expect: bound link[4] 1
   expect: bound link[5] 1
   expect: deadlock PROVED
   expect: assertions PROVED
   expect: states 466681 transitions 2226038 */

#ifndef N
#define N 6
#endif
mtype = { token, frame };
chan link[N] = [1] of { mtype, byte };
byte sending = 0;

proctype Station(byte me) {
	byte from;
	bool wants = false;
	do
	:: !wants -> wants = true
	:: link[me]?token(_) ->
	   if
	   :: wants ->
	      sending++;
	      assert(sending == 1);
	      link[(me + 1) % N]!frame(me);
	      link[me]?frame(from);
	      assert(from == me);
	      sending--;
	      wants = false;
	      from = 0
	   :: !wants -> skip
	   fi;
	   link[(me + 1) % N]!token(0)
	:: link[me]?frame(from) -> link[(me + 1) % N]!frame(from); from = 0
	od
}

init {
	byte i = 0;
	atomic {
		do
		:: i < N -> run Station(i); i++
		:: else -> break
		od;
		link[0]!token(0)
	}
}
