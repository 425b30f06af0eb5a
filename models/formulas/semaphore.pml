/* A buffer as a semaphore: its capacity is what it allows.
   For any capacity:
     exclusion: fails
 */
chan room = [1] of { bit };
active proctype P() { do :: room!1; critical: room?_ od }
active proctype Q() { do :: room!1; critical: room?_ od }
ltl exclusion { [] !(P@critical && Q@critical) }
