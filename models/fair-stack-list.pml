/* Stack: a lock-free stack as a linked list. To push, a process takes a free node, and then again and again looks at the head, links its
   node to it, and swings the head to its node if nobody else was faster; to pop, it does the same with the second node.
   Our own model after PAT ("Fair Model Checking with Process Counter Abstraction"), section 6. All processes do the same; one of them is
   watched, and the N others cannot be told apart: -DN=... sets their number, -DROOM=... the number of nodes. A node that was
   popped is free again when nobody looks at it any more, as where garbage is collected.
   True: "a push that has begun ends" fails without fairness and under weak and strong fairness too: the others can be in time again and
   again between the watched process's look and its swing. The list never holds a node twice. No deadlock.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl push_returns fairness=none VIOLATED
   expect: ltl push_returns fairness=weak VIOLATED
   expect: ltl push_returns fairness=strong VIOLATED */

#ifndef N
#define N 2
#endif
#ifndef ROOM
#define ROOM 2
#endif
bool pushing = false;                        /* the watched process is in its push */
byte head = 0;                               /* 0: the stack is empty */
byte next[ROOM + 1];
bool used[ROOM + 1];
byte looking[ROOM + 1];                     /* how many processes look at a node */

inline take_node() {                         /* a free node, or none */
	d_step {
		node = 1;
		do
		:: node <= ROOM && (used[node] || looking[node] > 0) -> node++
		:: else -> break
		od;
		if
		:: node <= ROOM -> used[node] = true
		:: else -> node = 0
		fi
	}
}

inline look() { atomic { seen = head; looking[seen]++ } }

inline push() {
	take_node();
	do
	:: node != 0 ->
	   look();
	   next[node] = seen;
	   atomic {                              /* compare and swap; what it no longer needs a process forgets */
	      if
	      :: head == seen -> head = node; node = 0
	      :: else
	      fi;
	      looking[seen]--; seen = 0
	   }
	:: node == 0 -> break
	od
}

inline pop() {
	look();
	if
	:: seen != 0 ->
	   below = next[seen];
	   atomic {
	      if
	      :: head == seen ->
	         assert(used[seen] && below != seen);
	         head = below; used[seen] = false; next[seen] = 0
	      :: else
	      fi;
	      looking[seen]--; seen = 0; below = 0
	   }
	:: atomic { seen == 0 -> looking[0]-- }
	fi
}

active proctype Watched() {
	byte node, seen, below;
	do
	:: pushing = true; push(); pushing = false
	:: pop()
	od
}

active [N] proctype Other() {
	byte node, seen, below;
	do
	:: push()
	:: pop()
	od
}

ltl push_returns { [] (pushing -> <> !pushing) }
