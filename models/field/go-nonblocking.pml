/* A Go program translated: a select with default that sends only if there is room, else drops and counts.

   expect: buffers PROVED
   expect: bound queue 3
   expect: progress VIOLATED
   expect: deadlock PROVED */
chan queue = [3] of { byte };
int dropped = 0;

active proctype Producer() {
	byte x;
	do
	:: select (x : 0 .. 3);
		if
		:: len(queue) < 3 -> queue!x
		:: else -> dropped++
		fi
	od
}

active proctype Consumer() {
	byte x;
	do
	:: queue?x -> progress: skip
	od
}
