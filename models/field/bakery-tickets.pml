/* A counter with tickets: customers draw a number, the clerk calls numbers in turn; numbers are bytes that come round again.

   expect: buffers PROVED
   expect: bound wanted 3
   expect: bound call 3
   expect: progress PROVED */
byte next = 0, called = 0;
chan wanted = [4] of { byte };
chan call = [1] of { byte };

active [3] proctype Customer() {
	byte t;
	do
	:: atomic { t = next; next++ };
		wanted!t;
		call??eval(t);
progress:	skip
	od
}

active proctype Clerk() {
	byte t;
	do
	:: wanted?t -> called++; call!t
	od
}
