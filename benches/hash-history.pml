/* Three writers fold their numbers into a hash of all that was written: hardly any two histories have the same. Class: large counters. */
#ifndef STEPS
#define STEPS 11
#endif
int hash = 1;
byte written;
active [3] proctype Writer() {
	do
	:: atomic { written < STEPS -> hash = (hash * 31 + _pid + 1) % 1000003; written++ }
	od
}
