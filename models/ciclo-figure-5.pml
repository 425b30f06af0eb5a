/* Three cycles in one process: C2 and C3 both count i up and need i <= 2, only C1 sets i back.
   Our own model after Ciclo, figure 5 and section VII-A. The figure is a graph; this is one process with its cycles, and a
   Receiver of ours. C2 can be repeated three times at most before C1 must be taken: the dependencies
   (3, C2, {C1, C3}) and, with C3 recognised as no help, (3, C2, {C1}).
   True: bounded; at most three messages are sent between two resets.

   expect: buffers PROVED
   expect: bound data 3
   expect: bound reset 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { first, second, again };
chan data = [3] of { mtype };
chan reset = [1] of { mtype };

active proctype Sender() {
	int i = 0;
	do
	:: i > 2 -> reset?again; i = 0                   /* C1 */
	:: i <= 2 -> i = i + 1;
	   if
	   :: data!first                                  /* C2 */
	   :: data!second                                 /* C3 */
	   fi
	od
}

active proctype Receiver() {
	byte n = 0;
	do
	:: n < 3 ->
	   if
	   :: data?first
	   :: data?second
	   fi;
	   n++
	:: n == 3 ->
progress_round_complete:
	   reset!again;
	   n = 0
	od
}
