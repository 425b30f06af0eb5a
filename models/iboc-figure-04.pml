/* A variable as the message type: what is sent depends on a value that is only known when the model runs.
   Our own model after IBOC, section 3.2 and figure 4 (the graph of a send with two possible effects): each send of x
   puts either an exact or an inexact message.
   True: bounded; P waits for an answer to each message.

   expect: buffers PROVED
   expect: bound C 1
   expect: bound Back 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { exact, inexact };
chan C = [2] of { mtype, int };
chan Back = [2] of { mtype };

active proctype P() {
	mtype x;
	int y = 0;
	do
	:: if
	   :: x = exact
	   :: x = inexact
	   fi;
	   C!x, y;
progress_answered:
	   Back?eval(x)
	od
}

active proctype Q() {
	int y;
	do
	:: C?exact, y -> Back!exact
	:: C?inexact, y -> Back!inexact
	od
}
