/* RW: readers and writers that share a document; several may read, or one may write.
   Our own model after PAT, section 2 (figure 1) and section 6. Readers cannot be told apart, nor can writers: -DREADERS=..., -DWRITERS=...
   True: nobody reads while somebody writes, for any number of both. "Again and again somebody reads" fails without
   fairness and under weak fairness (a reader is not enabled all the time while writers come and go), and holds under strong fairness. No deadlock.

   expect: deadlock PROVED
   expect: assertions PROVED
   expect: ltl exclusion fairness=none PROVED
   expect: ltl exclusion fairness=weak PROVED
   expect: ltl exclusion fairness=strong PROVED
   expect: ltl reading_again_and_again fairness=none VIOLATED
   expect: ltl reading_again_and_again fairness=weak VIOLATED
   expect: ltl reading_again_and_again fairness=strong PROVED */

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
int counter = 0;                           /* how many are reading */
bool writing = false;

active [READERS] proctype Reader() {
	do
	:: atomic { !writing -> counter++ };
	   counter--
	od
}

active [WRITERS] proctype Writer() {
	do
	:: atomic { counter == 0 && !writing -> writing = true };
	   writing = false
	od
}

ltl exclusion { [] !(counter > 0 && writing) }
ltl reading_again_and_again { [] <> (counter > 0) }
