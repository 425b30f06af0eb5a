/* A link layer: segments go by rendezvous through a medium that may lose them; header fields are computed in d_step. Class: d_step and rendezvous. */
#ifndef WINDOW
#define WINDOW 2
#endif
#define MOD 3
mtype = { data, ack, poll, idle };
chan up[2] = [0] of { mtype, byte, byte };
chan down[2] = [0] of { mtype, byte, byte };
proctype Station(bit me) {
	byte next, base, expected, seq, number, check;
	mtype kind;
	do
	:: (next + MOD - base) % MOD < WINDOW ->
		d_step { check = (next * 3 + expected) % 4; next = (next + 1) % MOD };
		up[me]!data((next + MOD - 1) % MOD, expected)
	:: up[me]!ack(0, expected)
	:: down[me]?kind(seq, number) ->
		d_step {
			if
			:: (number + MOD - base) % MOD <= (next + MOD - base) % MOD -> base = number
			:: else -> skip
			fi;
			if
			:: kind == data && seq == expected -> expected = (expected + 1) % MOD
			:: else -> skip
			fi;
			check = (base + 2 * expected) % 4; seq = 0; number = 0; kind = idle
		}
	:: d_step { base != next && check == 3 -> next = base; check = 0 }
	od
}
proctype Medium(bit from) {
	mtype kind; byte a, b;
	do
	:: up[from]?kind(a, b) ->
		if
		:: down[1-from]!kind(a, b)
		:: skip
		fi;
		d_step { kind = idle; a = 0; b = 0 }
	od
}
init { atomic { run Station(0); run Station(1); run Medium(0); run Medium(1) } }
