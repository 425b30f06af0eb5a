/* Workers that are started one after the other, do a piece of work each and end: creation and deletion of processes that nobody tells apart
   (PAT, "Fair Model Checking with Process Counter Abstraction", section 2, (iii) and (iv)). -DN=... sets how many there are in all.
   True: never two at work; whatever is begun is finished, and in the end all have done their work, under weak fairness (without, a worker may
   stand still for ever beside the clock). No deadlock.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl one_at_a_time fairness=none PROVED
   expect: ltl finished fairness=none VIOLATED
   expect: ltl finished fairness=weak PROVED
   expect: ltl all_done fairness=none VIOLATED
   expect: ltl all_done fairness=weak PROVED
   expect: ltl all_done fairness=strong PROVED */

#ifndef N
#define N 4
#endif
byte started, working, done;
bool tick;

proctype Worker() {
	atomic { working == 0 -> working++ };
	atomic { working--; done++ }
}

active proctype Pool() {
	do
	:: atomic { started < N -> started++; run Worker() }
	:: started == N -> break
	od
}

active proctype Clock() {
	do
	:: tick = !tick
	od
}

ltl one_at_a_time { [] (working <= 1) }
ltl finished { [] ((working == 1) -> <> (working == 0)) }
ltl all_done { <> (done == N) }
