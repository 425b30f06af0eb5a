/* Deadlock: three philosophers, three forks. Everybody takes the fork on the right first.
   The run that the check finds is the shortest: everybody holds one fork and waits for the other.
   Mend it: let one of them take the left fork first.

   expect: deadlock VIOLATED
   expect: assertions PROVED */

#define COUNT 3
#define left(i) ((i + 1) % COUNT)

bit taken[COUNT];

active [COUNT] proctype Philosopher() {
	byte me = _pid;
	do
	:: atomic { taken[me] == 0 -> taken[me] = 1 };
	   atomic { taken[left(me)] == 0 -> taken[left(me)] = 1 };
	   skip;                    /* eat */
	   taken[me] = 0;
	   taken[left(me)] = 0
	od
}
