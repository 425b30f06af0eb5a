/* Fifty credits in a global integer that the receiver gives back; sequence numbers are integers that count on.
   True: credits and cells are together always 50. What is missing for a proof: `credit` with a weight in the potential, and that it
   is never negative because the sender looks first (a half-space); told apart by its values it is too large.

   expect: buffers PROVED
   expect: bound cells 50
   expect: progress PROVED
   expect: deadlock PROVED */
#define C 50
int credit = C;
chan cells = [60] of { int };

active proctype Sender() {
	int seq;
	do
	:: credit > 0 -> credit = credit - 1; cells!seq; seq++
	od
}

active proctype Receiver() {
	int x;
	do
	:: cells?x -> progress: credit = credit + 1
	od
}
