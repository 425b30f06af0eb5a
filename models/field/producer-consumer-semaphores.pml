/* Producer and consumer with counting semaphores as integers: the queue itself is longer than the semaphores allow.

   expect: buffers PROVED
   expect: bound buffer 3
   expect: progress PROVED
   expect: deadlock PROVED */
#define SIZE 3
int spaces = SIZE, items = 0;
chan buffer = [10] of { byte };

inline wait(s) { atomic { s > 0 -> s-- } }
inline signal(s) { s++ }

active [2] proctype Producer() {
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
