/* Credit-based flow control with two virtual channels: credits come back in one message for several cells.

   expect: buffers PROVED
   expect: bound cells[0] 4
   expect: bound cells[1] 4
   expect: bound credits 4
   expect: progress PROVED
   expect: deadlock VIOLATED */
#define C 4
chan cells[2] = [C] of { byte };
chan credits = [4] of { byte, byte };

active proctype Sender() {
	byte credit[2], vc, n;
	credit[0] = C; credit[1] = C;
	do
	:: credit[0] > 0 -> cells[0]!0; credit[0]--
	:: credit[1] > 0 -> cells[1]!1; credit[1]--
	:: credits?vc(n) -> credit[vc] = credit[vc] + n
	od
}

proctype Receiver(byte vc) {
	byte taken = 0, x;
	do
	:: cells[vc]?x -> taken++
	:: taken == 2 -> progress: credits!vc(taken); taken = 0
	od
}
init { run Receiver(0); run Receiver(1) }
