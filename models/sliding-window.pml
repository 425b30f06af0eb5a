/* A sliding window: the sender counts what is not acknowledged yet and sends only while that is less than four.
   Our own model. The sequence number has fewer values than the counter and looks more like the reason, but it comes back after eight
   messages, and the counter does not: only the acknowledgements bring it back. Its type allows 255 messages under way; that it never
   wraps below zero holds because every acknowledgement answers a message.
   True: bounded, four messages and acknowledgements together at the most; every infinite run takes data again and again.

   expect: buffers PROVED
   expect: bound data 4
   expect: bound ack 4
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#define WINDOW 4

chan data = [WINDOW] of { byte };
chan ack = [WINDOW] of { byte };

active proctype Sender() {
	byte out, n, a;
	do
	:: out < WINDOW -> data!n; n = (n + 1) % 8; out++
	:: ack?a -> out--
	od
}

active proctype Receiver() {
	byte n;
progress:
	do
	:: data?n -> ack!n
	od
}
