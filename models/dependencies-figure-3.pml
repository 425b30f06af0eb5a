/* A cycle that is preempted: from C1 to C3 and back the way always leads through C2.
   Our own model after the cycle-dependency study, figure 3, section 4.1, refinement 2 (a graph there): C1 needs x < 3
   and counts x up, C2 and C3 both count it down; C3 can be dropped from the dependency (C1, {C2, C3}).
   The Sink is ours.
   True: bounded: C1 sends, C2 and C3 take back one permission each. Livelock-free with C2 as progress.

   expect: buffers PROVED
   expect: bound out 3
   expect: bound back 3
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { item, permit };
chan out = [3] of { mtype };
chan back = [3] of { mtype };

active proctype p() {
	int x = 0;
	do
	:: x < 3 -> out!item; x = x + 1                   /* C1 */
	:: x > 0 ->                                       /* C2 */
progress_permitted:
	   back?permit;
	   x = x - 1;
	   do
	   :: x > 0 -> back?permit; x = x - 1             /* C3 */
	   :: break
	   od
	od
}

active proctype Sink() {
	do
	:: out?item -> back!permit
	od
}
