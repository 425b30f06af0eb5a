/* Needham and Schroeder's protocol with an intruder that keeps what it has seen and puts messages together. Class: intruder. */
mtype = { none, A, B, I, Na, Nb, Ni };
chan net = [0] of { byte, mtype, mtype, mtype, mtype };
bit knows_Na, knows_Nb, commit_A, commit_B;
mtype seen_key, seen_1, seen_2;
byte seen_kind;
proctype Initiator() {
	mtype partner = none, nonce = none;
	do
	:: partner == none -> if :: partner = B :: partner = I fi;
	   net!1(A, partner, Na, A);
	   net?2(eval(A), eval(A), eval(Na), nonce);
	   commit_A = 1;
	   net!3(A, partner, nonce, none);
	   atomic { partner = none; nonce = none }
	od
}
proctype Responder() {
	mtype partner = none, nonce = none;
	do
	:: net?1(eval(B), eval(B), nonce, partner);
	   net!2(B, partner, nonce, Nb);
	   net?3(eval(B), eval(B), eval(Nb), _);
	   commit_B = 1;
	   atomic { partner = none; nonce = none }
	od
}
proctype Intruder() {
	byte kind; mtype from = none, key = none, x = none, y = none;
	do
	:: net?kind(from, key, x, y) ->
	   atomic {
		if
		:: key == I ->
			if :: x == Na || y == Na -> knows_Na = 1 :: else fi;
			if :: x == Nb || y == Nb -> knows_Nb = 1 :: else fi
		:: else -> if :: seen_kind = kind; seen_key = key; seen_1 = x; seen_2 = y :: skip fi
		fi;
		kind = 0; from = none; key = none; x = none; y = none }
	:: seen_kind > 0 -> net!seen_kind(seen_key, seen_key, seen_1, seen_2)
	:: atomic { key = B; if :: x = Ni :: knows_Na -> x = Na :: knows_Nb -> x = Nb fi;
		if :: y = A :: y = I :: knows_Na -> y = Na :: knows_Nb -> y = Nb fi;
		if :: kind = 1 :: kind = 3 fi };
	   if :: net!kind(key, key, x, y) :: skip fi;
	   atomic { kind = 0; key = none; x = none; y = none }
	od
}
init { atomic { run Initiator(); run Responder(); run Intruder() } }
