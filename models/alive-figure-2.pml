/* A counter that only some cycles set back: C1 needs x <= 5 and counts x up, C3 sets x to 1, C4 counts x up on C3's way.
   Our own model after aLive, figure 2 and section 5 (a graph there). C2 and C3 are neighbours of C1, only C3 is of
   help to it; C4 is no help, because C3 sets x afterwards. Every five times C1 is repeated, C3 has to be taken.
   The User is ours: it answers five msg1 with one msg3. The progress is its.
   True: bounded; livelock-free. C2 is enabled by a message that is sent once only.

   expect: buffers PROVED
   expect: bound out 5
   expect: bound in 4
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { msg1, msg2, msg3, msg4 };
chan out = [5] of { mtype };
chan in = [3] of { mtype };

active proctype Counter() {
	int x = 1;
	do
	:: x <= 5 -> out!msg1; x = x + 1                 /* C1 */
	:: in?msg2                                        /* C2 */
	:: in?msg3 ->                                     /* C3 */
	   do
	   :: in?msg4 -> x = x + 1                        /* C4 */
	   :: in?msg3 -> break
	   od;
	   x = 1
	od
}

active proctype User() {
	byte n = 0;
	in!msg2;
	do
	:: n < 5 -> out?msg1; n++
	:: n == 5 ->
	   in!msg3;
	   if
	   :: in!msg4
	   :: skip
	   fi;
progress_next_round:
	   in!msg3;
	   n = 0
	od
}
