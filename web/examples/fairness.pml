/* Fairness: does the lamp ever go on? Only if the switch gets its turn.
   Among all runs there is one in which the clock ticks and the switch never moves. Under weak fairness (see Options), whoever can
   move for ever does so again and again, and that run does not count any more.

   expect: ltl goes_on VIOLATED
   expect: deadlock PROVED */

bool lamp;
byte time;

active proctype Clock() {
	do
	:: time = (time + 1) % 12
	od
}

active proctype Switch() {
	lamp = true
}

ltl goes_on { <> lamp }
