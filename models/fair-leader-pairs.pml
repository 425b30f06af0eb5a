/* LE with meetings of two: leaders meet each other by a rendezvous, and the one that calls steps down. The detector is right only in the end:
   it may say for a while that nobody leads although somebody does. Our own model after PAT ("Fair Model Checking with Process Counter
   Abstraction"), section 6, and the idea of Fischer and Jiang's protocol. Nodes cannot be told apart: -DN=... sets their number.
   A meeting is one step of both nodes (PAT, section 2, (ii)): fairness of processes says that leaders which can meet do.
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
chan meet = [0] of { bit };

active proctype Detector() {
	lies = false
}

active [N] proctype Node() {
	if
	:: atomic { leaders++; goto leading }
	:: goto following
	fi;

leading:
	if
	:: meet!1 -> leaders--; goto following                            /* two leaders meet: this one steps down */
	:: meet?1 -> goto leading                                         /* and this one stays */
	:: leaders <= 1 -> goto leading                                   /* nobody to meet */
	fi;

following:
	if
	:: atomic { leaders == 0 || lies -> leaders++; goto leading }     /* told that nobody leads */
	:: leaders > 0 || lies -> goto following                          /* a meeting without effect */
	fi
}

ltl one_leader { <>[] (leaders == 1) }
