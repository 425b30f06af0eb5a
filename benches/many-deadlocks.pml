/* Philosophers who take either fork first and think with a number each: thousands of states in which all wait. Class: many errors. */
#ifndef N
#define N 5
#endif
byte fork[N];
active [N] proctype Philosopher() {
	byte t, me = _pid;
	do
	:: t = (t + 1) % 4;
	   if
	   :: atomic { fork[me] == 0 -> fork[me] = me + 1 }; atomic { fork[(me + 1) % N] == 0 -> fork[(me + 1) % N] = me + 1 }
	   :: atomic { t == 3 && fork[(me + 1) % N] == 0 -> fork[(me + 1) % N] = me + 1 }; atomic { fork[me] == 0 -> fork[me] = me + 1 }
	   fi;
	   fork[me] = 0; fork[(me + 1) % N] = 0
	od
}
