/* A ring in which records of four fields go round; every station changes them. Class: data in messages. */
#ifndef N
#define N 4
#endif
typedef Record { byte sum; byte hops; byte from; bit flag };
chan ring[N] = [2] of { Record };
proctype Station(byte me) {
	Record r;
	do
	:: ring[me]?r ->
		r.sum = (r.sum + me * 3 + 1) % 11;
		r.hops = (r.hops + 1) % 5;
		if
		:: r.hops == 0 -> r.from = me; r.flag = !r.flag
		:: r.hops != 0 -> skip
		fi;
		ring[(me + 1) % N]!r;
		d_step { r.sum = 0; r.hops = 0; r.from = 0; r.flag = 0 }
	od
}
init {
	byte i; Record r;
	atomic {
		for (i : 0 .. N-1) { run Station(i) };
		for (i : 0 .. 2) { r.from = i; ring[i]!r };
		i = 0; r.from = 0
	}
}
