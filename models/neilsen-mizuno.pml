/* Mutual exclusion by a token that moves along a tree: Neilsen and Mizuno's algorithm.
   Our own model of the algorithm (Neilsen and Mizuno, 1991; also in Ben-Ari's textbook): every node knows the neighbour
   through which the token can be had (parent; itself: nobody is behind me in the queue) and the node that it must hand
   the token to (deferred). Per node one process uses the token and one answers requests.
   The nodes form a line: 0 holds the token, each other node's parent is the one before it.
   True: bounded; the token is in one place; livelock-free with the critical section as progress; no deadlock.

   expect: buffers PROVED
   expect: bound requests[0] 1
   expect: bound requests[1] 2
   expect: bound requests[2] 1
   expect: bound tokens[0] 1
   expect: bound tokens[1] 1
   expect: bound tokens[2] 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#ifndef N
#define N 3
#endif
#define NONE N
mtype = { request, token };
chan requests[N] = [N] of { mtype, byte, byte };     /* sender, originator */
chan tokens[N] = [1] of { mtype };
byte parent[N];
byte deferred[N];
bool holding[N];
byte critical = 0;

proctype User(byte me) {
	do
	:: if
	   :: atomic { holding[me] -> holding[me] = false }
	   :: atomic { !holding[me] ->
	         requests[parent[me]]!request(me, me);
	         parent[me] = me };
	      tokens[me]?token
	   fi;
	   critical++;
	   assert(critical == 1);
progress_critical_section:
	   critical--;
	   if
	   :: atomic { deferred[me] != NONE ->
	         tokens[deferred[me]]!token;
	         deferred[me] = NONE }
	   :: atomic { deferred[me] == NONE -> holding[me] = true }
	   fi
	od
}

proctype Answerer(byte me) {
	byte from, origin;
	do
	:: atomic { requests[me]?request(from, origin) ->
	      if
	      :: parent[me] != me -> requests[parent[me]]!request(me, origin)
	      :: parent[me] == me && holding[me] -> tokens[origin]!token; holding[me] = false
	      :: parent[me] == me && !holding[me] -> deferred[me] = origin
	      fi;
	      parent[me] = from }
	od
}

init {
	byte i = 0;
	atomic {
		do
		:: i < N ->
		   deferred[i] = NONE;
		   parent[i] = (i == 0 -> 0 : i - 1);
		   i++
		:: else -> break
		od;
		holding[0] = true;
		i = 0;
		do
		:: i < N -> run User(i); run Answerer(i); i++
		:: else -> break
		od
	}
}
