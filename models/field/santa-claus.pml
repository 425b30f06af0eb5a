/* The santa claus problem with channels: nine reindeer or three of ten elves; Santa wakes up when a group is complete.

   expect: buffers PROVED
   expect: bound reindeer 4
   expect: bound elves 5
   expect: bound sleigh 4
   expect: bound help 5
   expect: bound over 4
   expect: progress VIOLATED
   expect: deadlock PROVED */
#define R 4
#define E 5
#define G 3
mtype = { back, problem, go, finished };
chan reindeer = [R] of { mtype };
chan elves = [E] of { mtype };
chan sleigh = [R] of { mtype };
chan help = [G] of { mtype };
chan over = [R] of { mtype };

active [R] proctype Reindeer() {
	do
	:: reindeer!back; sleigh?go; over!finished
	od
}

active [E] proctype Elf() {
	do
	:: elves!problem; help?go
	od
}

active proctype Santa() {
	byte i;
	do
	:: len(reindeer) == R ->
		for (i : 1 .. R) { reindeer?back; sleigh!go }
		for (i : 1 .. R) { over?finished }
progress:	skip
	:: len(elves) >= G ->
		for (i : 1 .. G) { elves?problem; help!go }
	od
}
