/* Tasks start tasks, each with a number of its own, and end when their children have answered. Class: dynamic creation. */
#ifndef DEPTH
#define DEPTH 2
#endif
chan answer = [4] of { byte };
byte alive;
proctype Task(byte depth; byte kind) {
	byte got;
	alive++;
	if
	:: depth < DEPTH ->
		run Task(depth + 1, 1);
		if
		:: kind == 1 && depth == 0 -> run Task(depth + 1, 2)
		:: skip
		fi
	:: depth < DEPTH && kind == 2 -> skip
	:: depth == DEPTH -> skip
	fi;
	answer!depth;
	if :: answer?got :: skip fi;
	got = 0;
	alive--
}
init { run Task(0, 1) }
