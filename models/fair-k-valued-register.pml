/* KV: a register of K values made of K bits, one writer, several readers that never wait.
   Our own model after PAT, section 6 (and the textbook construction it cites): to write v, set bit v, then clear the bits below it, downwards; to
   read, scan up to the first bit that is set, then down again, and remember the lowest bit found set.
   Readers cannot be told apart: -DN=... sets their number, -DK=... the number of values.
   True: a read returns a value that was in the register (it lies in 0 .. K-1: a set bit is always found); "a read that has begun is
   followed by a read that ends" fails without fairness (the writer may run alone), and holds under weak and strong fairness. No deadlock.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl read_returns fairness=none VIOLATED
   expect: ltl read_returns fairness=weak PROVED
   expect: ltl read_returns fairness=strong PROVED */

#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif
mtype = { nothing, read_inv, read_res };
mtype event = nothing;                       /* the last thing a reader did: began a read, ended one */
bit B[K] = 1;                                /* the value is the lowest bit that is set: at first 0 */

active proctype Writer() {
	byte v, i;
	do
	:: select(v : 0 .. K - 1);
	   B[v] = 1;
	   i = v;
	   do
	   :: i > 0 -> i--; B[i] = 0
	   :: i == 0 -> break
	   od
	od
}

active [N] proctype Reader() {
	byte u, v;
	do
	:: event = read_inv;
	   u = 0;
	   do
	   :: B[u] == 0 -> u++; assert(u < K)
	   :: B[u] == 1 -> break
	   od;
	   v = u;
	   do
	   :: u > 0 -> u--;
	      if
	      :: B[u] == 1 -> v = u
	      :: B[u] == 0 -> skip
	      fi
	   :: u == 0 -> break
	   od;
	   assert(v < K);
	   event = read_res;
	   v = 0
	od
}

ltl read_returns { [] (event == read_inv -> <> (event == read_res)) }
