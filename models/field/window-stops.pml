/* A file of 20 blocks through a window of three; the receiver acknowledges each block, the sender ends after the last acknowledgement.

   expect: buffers PROVED
   expect: bound blocks 3
   expect: bound acks 3
   expect: deadlock PROVED
   expect: assertions PROVED */
#define LAST 20
#define W 3
chan blocks = [W] of { byte };
chan acks = [W] of { byte };

active proctype Sender() {
	byte next = 0, confirmed = 0, a;
	do
	:: next < LAST && next - confirmed < W -> blocks!next; next++
	:: acks?a -> confirmed = a + 1
	:: confirmed == LAST -> break
	od
}

active proctype Receiver() {
	byte b, expected = 0;
end:	do
	:: blocks?b -> assert(b == expected); expected++; acks!b
	od
}
