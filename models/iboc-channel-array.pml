/* Channel arrays: the index is a variable; its values must be followed to know which channel is meant.
   Our own model after IBOC, section 3.6.
   True: bounded; each worker has at most one job. Only C[0] and C[1] are ever used, C[2] stays empty.

   expect: buffers PROVED
   expect: bound C[0] 1
   expect: bound C[1] 1
   expect: bound C[2] 0
   expect: bound done[0] 1
   expect: bound done[1] 1
   expect: bound done[2] 0
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { job };
chan C[3] = [5] of { mtype };
chan done[3] = [5] of { mtype };

active proctype Boss() {
	byte i = 0;
	do
	:: C[i]!job;
progress_job_done:
	   done[i]?job;
	   i = 1 - i
	od
}

proctype Worker(byte me) {
	do
	:: C[me]?job -> done[me]!job
	od
}

init {
	run Worker(0);
	run Worker(1)
}
