/* A queue with priorities in an array: producers put jobs in, sorted by insertion in a d_step, a worker takes the first. Class: array. */
#ifndef SIZE
#define SIZE 6
#endif
#define PRIORITIES 5
byte queue[SIZE];
byte used;
byte working;
active [2] proctype Producer() {
	byte p, i;
	do
	:: atomic { used < SIZE -> select (p : 1 .. PRIORITIES) };
	   d_step {
		if
		:: used < SIZE ->
			i = used;
			do
			:: i > 0 && queue[i-1] < p -> queue[i] = queue[i-1]; i--
			:: else -> break
			od;
			queue[i] = p; used++
		:: else -> skip
		fi;
		i = 0; p = 0 }
	od
}
active proctype Worker() {
	byte i;
	do
	:: d_step { used > 0 -> working = queue[0]; used--;
		for (i : 0 .. SIZE-2) { queue[i] = queue[i+1] }; queue[SIZE-1] = 0; i = 0 }
	:: working > 0 -> working = 0
	od
}
