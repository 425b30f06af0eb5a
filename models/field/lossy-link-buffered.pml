/* A link that loses, duplicates at most once, and keeps order; the sender waits for the acknowledgement or for a time-out.

   expect: buffers PROVED
   expect: bound s2l 1
   expect: bound l2r 3
   expect: bound r2s 3
   expect: progress VIOLATED
   expect: deadlock PROVED */
mtype = { msg, ack };
chan s2l = [1] of { mtype, bit };
chan l2r = [2] of { mtype, bit };
chan r2s = [2] of { mtype, bit };

active proctype Sender() {
	bit b = 0, r;
	do
	:: s2l!msg(b);
		do
		:: r2s?ack(r) ->
			if
			:: r == b -> progress: b = 1 - b; break
			:: else
			fi
		:: timeout -> break
		od
	od
}

active proctype Link() {
	bit b;
	do
	:: s2l?msg(b) ->
		if
		:: l2r!msg(b)
		:: l2r!msg(b); l2r!msg(b)
		:: skip
		fi
	od
}

active proctype Receiver() {
	bit b;
	do
	:: l2r?msg(b) -> r2s!ack(b)
	od
}
