/* Any number: two workers share a lock. What about three, or a hundred?
   With "any number of Worker" (see Options) the formula is proved for all of them at once: workers that nothing tells apart are counted,
   not named.

   expect: ltl exclusion PROVED */

bool locked;
byte critical;

active [2] proctype Worker() {
	do
	:: atomic { !locked -> locked = true };
	   critical++;
	   critical--;
	   locked = false
	od
}

ltl exclusion { [] (critical <= 1) }
