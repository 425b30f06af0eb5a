/* 2-Proctype: A answers each c of B with several a and b; B wants an a, then a b, and pays with a c.
   Our own model after IBOC ("A Scalable Incomplete Test for Message Buffer Overflow in Promela Models"), figure 11.
   True: bounded. A begins with b, which B, waiting for an a, never takes from the head of AB: B is stuck, A uses up
   the two c and is stuck too. So with first-in first-out buffers AB holds at most 7 (five b, two a) and BA at most 2. If order is
   ignored the exact values are 12 and 4; the paper's estimates are 20 and 6.

   expect: buffers PROVED
   expect: bound AB 7
   expect: bound BA 2
   expect: deadlock VIOLATED
   expect: assertions PROVED */

mtype = { c, b, a };
chan AB = [25] of { mtype };
chan BA = [25] of { mtype };

active proctype A() {
s1:	if
	:: BA?c -> AB!b; AB!b; goto s2
	:: BA?c -> AB!b; AB!b; AB!b; AB!b; AB!b; goto s3
	fi;
s2:	BA?c -> AB!a; AB!a; AB!b; goto s3;
s3:	BA?c -> AB!a; AB!a; goto s2
}

active proctype B() {
	BA!c;
	BA!c;
s4:	AB?a -> goto s5;
s5:	AB?b -> BA!c; goto s4
}
