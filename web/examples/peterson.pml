/* Mutual exclusion, Peterson's way: announce, let the other one go first, then wait.
   Never are both inside, and whoever wants in comes in, if nobody who can move waits for ever (weak fairness, see Options).
   Without fairness a run counts in which one of the two never moves.

   expect: assertions PROVED
   expect: deadlock PROVED
   expect: ltl exclusion PROVED
   expect: ltl comes_in PROVED */

bool wants[2];
byte turn, critical;

active [2] proctype Process() {
	byte me = _pid, other = 1 - _pid;
	do
	:: wants[me] = true;
	   turn = other;
	   !wants[other] || turn == me;
	   critical++;
inside:
	   assert(critical == 1);
	   critical--;
	   wants[me] = false
	od
}

ltl exclusion { [] (critical <= 1) }
ltl comes_in { [] (wants[0] -> <> Process[0]@inside) }
