// `else` at the head of an option: in a nested choice, in atomic, in d_step, beside a rendezvous, in an escape.
// expect: states 11329 transitions 40815
// expect: errors 0 atomic-steps 3672
byte x, y; bool b;
chan q = [2] of { byte };
chan r = [0] of { byte };

proctype nested(byte n) {
	do
	:: if
	   :: x == n -> x = (x + 1) % 3
	   :: else -> y = n
	   fi
	:: b -> b = false; break
	:: x == 2 -> if :: y == 1 -> break :: atomic { if :: y == 0 -> y = 1 :: else -> y = 0 fi } :: y == 0 fi
	od
}

active proctype in_atomic() {
	byte v;
	end: do
	:: q?v -> goto labelled
	:: atomic { else -> b = !b; q!v }
	:: v == 1 -> v = 2
	od;
labelled:
	if
	:: d_step { else -> v = 0 }
	:: r?v
	:: v > 1
	fi;
	if
	:: d_step { if :: v == 1 :: else fi; v = 3 }
	:: y == 2
	fi
}

active proctype meets() {
	if
	:: r!1
	:: if :: r!2 :: x == 1 :: else -> y = 2 fi
	:: x == 0 -> skip
	fi;
	{ if :: x == 2 -> skip :: if :: y == 2 :: else -> b = true fi fi } 
	unless { if :: y == 1 -> if :: x == 0 :: else -> y = 0 fi :: x == 1 fi }
}

init { atomic { run nested(0); run nested(1) } }
