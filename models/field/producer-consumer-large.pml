/* Four producers and a consumer with counting semaphores as integers, forty places.
   True: spaces, items and those who have taken one are together always 40. The proof gives `spaces` a weight
   of its own, and uses that nobody interrupts a producer between looking and taking.

   expect: buffers PROVED
   expect: bound buffer 40
   expect: progress PROVED
   expect: deadlock PROVED */
#define SIZE 40
int spaces = SIZE, items = 0;
chan buffer = [10] of { byte };

inline wait(s) { atomic { s > 0 -> s-- } }
inline signal(s) { s++ }

active [4] proctype Producer() {
	do
	:: wait(spaces); buffer!_pid; signal(items)
	od
}

active proctype Consumer() {
	byte x;
	do
	:: wait(items); buffer?x; progress: signal(spaces)
	od
}
