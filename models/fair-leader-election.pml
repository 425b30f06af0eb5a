/* LE: self-stabilising leader election in a complete network, with a detector that tells whether there is a leader.
   Our own model after PAT ("Fair Model Checking with Process Counter Abstraction"), section 6, and the idea of Fischer and Jiang's protocol:
   when two leaders meet one of them steps down; when the detector says that there is none, a node steps up; all other
   meetings change nothing. Nodes begin as they like. Nodes cannot be told apart: -DN=... sets their number.
   True: "from some time on exactly one leader" fails without fairness (others may meet for ever while two leaders
   do not), and holds under weak and strong fairness, for any number of nodes. No deadlock.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl one_leader fairness=none VIOLATED
   expect: ltl one_leader fairness=weak PROVED
   expect: ltl one_leader fairness=strong PROVED */

#ifndef N
#define N 3
#endif
int leaders = 0;

active [N] proctype Node() {
	bool leading;
	if
	:: atomic { leading = true; leaders++ }
	:: leading = false
	fi;
	do
	:: atomic { leading && leaders > 1 -> leading = false; leaders-- }     /* two leaders meet */
	:: atomic { !leading && leaders == 0 -> leading = true; leaders++ }    /* the detector: nobody leads */
	:: leading && leaders <= 1                                              /* a meeting without effect */
	:: !leading && leaders > 0
	od
}

ltl one_leader { <>[] (leaders == 1) }
