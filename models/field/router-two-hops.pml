/* Two routers in a row; packets have a destination, one global Ack for each destination lets the next packet of it go.

   expect: buffers PROVED
   expect: bound link1 2
   expect: bound link2 2
   expect: deadlock PROVED */
mtype = { packet };
typedef header { byte src; byte dst };
chan link1 = [3] of { mtype, header };
chan link2 = [3] of { mtype, header };
bool Ack0 = 1, Ack1 = 1;

active proctype Host() {
	header h;
	do
	:: Ack0 == 1 -> Ack0 = 0; h.src = 7; h.dst = 0; link1!packet(h)
	:: Ack1 == 1 -> Ack1 = 0; h.src = 7; h.dst = 1; link1!packet(h)
	od
}

active proctype Router() {
	header h;
	do
	:: link1?packet(h) -> link2!packet(h)
	od
}

active proctype Destination() {
	header h;
	do
	:: link2?packet(h) ->
		if
		:: h.dst == 0 -> Ack0 = 1
		:: else -> Ack1 = 1
		fi
	od
}
