/* Sleep and wake-up: processes that wait for a resource, and interrupts that may come at any time.
   Our own model of the classic problem of kernels on several processors (described by Ruane, and by Pike, Presotto, Thompson and
   Holzmann): a process marks that it wants to sleep and looks at the condition once more under a lock; a waker sets
   the condition and wakes whoever sleeps. The device raises interrupts into the one buffer without waiting.
   True: unbounded: the device may raise any number of interrupts before one is served. Livelocked for the sleeper's progress, because the device can
   go on by itself. No deadlock. No wake-up is lost: when the condition holds, nobody is left asleep once the waker is done.

   expect: buffers VIOLATED
   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { interrupt };
chan interrupts = [2] of { mtype };
bool locked = false;
bool condition = false;
byte sleeping = 0;
bool wake[2];

#define SLEEPERS 2

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

proctype Sleeper(byte me) {
	do
	:: lock();
	   if
	   :: condition ->
progress_served:
	      condition = false;
	      unlock()
	   :: !condition ->
	      sleeping++;
	      wake[me] = false;
	      unlock();
	      wake[me];                                   /* asleep until woken */
	      wake[me] = false
	   fi
	od
}

active proctype Waker() {
	do
	:: interrupts?interrupt ->
	   lock();
	   condition = true;
	   if
	   :: sleeping > 0 ->
	      sleeping = 0;
	      wake[0] = true;
	      wake[1] = true
	   :: sleeping == 0 -> skip
	   fi;
	   assert(sleeping == 0);
	   unlock()
	od
}

active proctype Device() {
	do
	:: interrupts!interrupt
	od
}

init {
	atomic {
		run Sleeper(0);
		run Sleeper(1)
	}
}
