/* Mutual exclusion, first attempt: look whether the other one is inside, then go in.
   Between the look and the step the other one may do the same. Check it, and step through the run in which both are inside.
   Then mend it: announce first (`inside[me] = true` before the look), check again, and see what goes wrong now.

   expect: assertions VIOLATED
   expect: deadlock PROVED */

bool inside[2];
byte critical;

active [2] proctype Process() {
	byte me = _pid, other = 1 - _pid;
	do
	:: !inside[other];          /* wait until the other one is out */
	   inside[me] = true;
	   critical++;
	   assert(critical == 1);   /* the critical section */
	   critical--;
	   inside[me] = false
	od
}
