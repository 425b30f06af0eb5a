/* LE with a detector that is right only in the end: it may say for a while that nobody leads although somebody does, and that somebody leads
   although nobody does; some time it stops lying. Our own model after PAT ("Fair Model Checking with Process Counter Abstraction"), section 6,
   and the idea of Fischer and Jiang's protocol; the other model, fair-leader-election.pml, has a detector that never lies.
   Nodes cannot be told apart: -DN=... sets their number. The detector ends, nodes do not.
   True: "from some time on exactly one leader" fails without fairness (the detector lies for ever), and holds under weak and strong
   fairness, for any number of nodes. No deadlock.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl one_leader fairness=none VIOLATED
   expect: ltl one_leader fairness=weak PROVED
   expect: ltl one_leader fairness=strong PROVED */

#ifndef N
#define N 3
#endif
int leaders = 0;
bool lies = true;

active proctype Detector() {
	lies = false
}

active [N] proctype Node() {
	bool leading;
	if
	:: atomic { leading = true; leaders++ }
	:: leading = false
	fi;
	do
	:: atomic { leading && leaders > 1 -> leading = false; leaders-- }               /* two leaders meet */
	:: atomic { !leading && (leaders == 0 || lies) -> leading = true; leaders++ }    /* told that nobody leads */
	:: leading && (leaders <= 1 || lies)                                             /* nothing happens */
	:: !leading && (leaders > 0 || lies)
	od
}

ltl one_leader { <>[] (leaders == 1) }
