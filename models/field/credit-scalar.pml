/* Credits in a global integer that the receiver gives back; the sender does not wait but looks.

   expect: buffers PROVED
   expect: bound cells 5
   expect: progress PROVED
   expect: deadlock PROVED */
#define C 5
int credit = C;
chan cells = [20] of { byte };

active proctype Sender() {
	byte seq;
	do
	:: credit > 0 -> credit = credit - 1; cells!seq; seq++
	od
}

active proctype Receiver() {
	byte x;
	do
	:: cells?x -> progress: credit = credit + 1
	od
}
