/* ML: the meta-lock by which a Java virtual machine guards the lock word of an object.
   Our own model after PAT, section 6, and the published algorithm (Agesen et al., 1999) in short: a thread takes the meta-lock at once if it is
   free (get fast), or registers as a waiter (get slow); who gives it up frees it if nobody waits (put fast) or hands it to
   one of the waiters (put slow). Threads cannot be told apart: -DN=... sets their number.
   True: "again and again some thread has access" holds without any fairness, for any number of threads. At most one thread has access. No deadlock.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl access_again_and_again fairness=none PROVED
   expect: ltl access_again_and_again fairness=weak PROVED
   expect: ltl access_again_and_again fairness=strong PROVED
   expect: ltl exclusive fairness=none PROVED */

#ifndef N
#define N 3
#endif
bool busy = false;                           /* somebody holds the meta-lock, or it is being handed over */
bool handover = false;                       /* it is on its way to a waiter */
int waiters = 0;
int accessing = 0;

active [N] proctype Thread() {
	do
	:: if
	   :: atomic { !busy -> busy = true }                     /* get fast */
	   :: atomic { busy -> waiters++ };                       /* get slow */
	      atomic { handover -> handover = false }
	   fi;
	   accessing++;
	   assert(accessing == 1);
	   accessing--;
	   if
	   :: atomic { waiters == 0 -> busy = false }             /* put fast */
	   :: atomic { waiters > 0 -> waiters--; handover = true }  /* put slow */
	   fi
	od
}

ltl access_again_and_again { [] <> (accessing > 0) }
ltl exclusive { [] (accessing <= 1) }
