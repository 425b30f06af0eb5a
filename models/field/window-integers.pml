/* A window with sequence numbers that count on: sent and acknowledged are integers, the difference is the window.
   Both wrap, but `sent - acked` does not: the proof gives the difference a weight of its own.

   expect: buffers PROVED
   expect: bound data 4
   expect: bound acks 4
   expect: progress PROVED */
#define W 4
chan data = [W] of { int };
chan acks = [W] of { int };
int sent = 0, acked = 0;

active proctype Sender() {
	do
	:: sent - acked < W -> data!sent; sent++
	od
}

active proctype Acknowledged() {
	int n;
	do
	:: acks?n -> acked++
	od
}

active proctype Receiver() {
	int n;
	do
	:: data?n -> progress: acks!n
	od
}
