/* Stack: a lock-free stack; a push reads the top, prepares its node, and installs it if the top is still the same.
   Our own model after PAT, section 6. The top is known by a version number that every update changes (a new
   node has a new address). One process is observed, which only pushes; N others, which cannot be told apart, push and pop.
   True: "a push that has begun ends" fails without fairness and under weak and strong fairness too: the others can be in time
   again and again between the observed process's look and its update. No deadlock. The stack never holds fewer than no nodes.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl push_returns fairness=none VIOLATED
   expect: ltl push_returns fairness=weak VIOLATED
   expect: ltl push_returns fairness=strong VIOLATED */

#ifndef N
#define N 2
#endif
#define VERSIONS 8
#define ROOM 3
bool pushing = false;                        /* the observed process is in its push */
byte version = 0;
short size = 0;

active proctype Observed() {
	byte seen;
	bool done;
	do
	:: pushing = true;
	   done = false;
	   do
	   :: !done ->
	      seen = version;
	      atomic {                                    /* compare and swap */
	         if
	         :: seen == version -> version = (version + 1) % VERSIONS; done = true
	         :: seen != version -> skip
	         fi
	      }
	   :: done -> break
	   od;
	   pushing = false
	od
}

active [N] proctype Other() {
	byte seen;
	do
	:: seen = version;                                    /* push */
	   atomic {
	      if
	      :: seen == version && size < ROOM -> version = (version + 1) % VERSIONS; size++
	      :: seen != version || size >= ROOM -> skip
	      fi;
	      seen = 0
	   }
	:: seen = version;                                    /* pop */
	   atomic {
	      if
	      :: seen == version && size > 0 -> version = (version + 1) % VERSIONS; size--; assert(size >= 0)
	      :: seen != version || size == 0 -> skip
	      fi;
	      seen = 0
	   }
	od
}

ltl push_returns { [] (pushing -> <> !pushing) }
