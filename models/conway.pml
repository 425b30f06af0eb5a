/* Conway's problem: read cards of characters, replace a pair of stars by an arrow, print lines of another length.
   Our own model of the problem that Conway (1963) posed for coroutines: Reader, Squasher, Printer, and an operator
   who feeds the cards; three buffers, loop counters in every process, as in Ciclo's model.
   True: bounded, because there are CARDS cards of WIDTH characters and no more: that one counter decides it. Every run ends, so it is
   livelock-free; no deadlock.

   expect: buffers PROVED
   expect: bound cards 3
   expect: bound characters 7
   expect: bound squashed 7
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#define CARDS 2
#define WIDTH 3
#define LINE 4
mtype = { letter, star, arrow, card, stop };
chan cards = [1] of { mtype };
chan characters = [4] of { mtype };
chan squashed = [4] of { mtype };
byte printed = 0;

active proctype Operator() {
	byte n = 0;
	do
	:: n < CARDS -> cards!card; n++
	:: n == CARDS -> break
	od;
	cards!stop
}

active proctype Reader() {
	byte n;
	do
	:: cards?card ->
	   n = 0;
	   do
	   :: n < WIDTH ->
	      if
	      :: characters!letter
	      :: characters!star
	      fi;
	      n++
	   :: n == WIDTH -> break
	   od
	:: cards?stop -> break
	od;
	characters!stop
}

active proctype Squasher() {
	do
	:: characters?letter -> squashed!letter
	:: characters?star ->
	   if
	   :: characters?star -> squashed!arrow
	   :: characters?letter -> squashed!star; squashed!letter
	   :: characters?stop -> squashed!star; break
	   fi
	:: characters?stop -> break
	od;
	squashed!stop
}

active proctype Printer() {
	byte column = 0;
	do
	:: squashed?letter -> column++; printed++
	:: squashed?star -> column++; printed++
	:: squashed?arrow -> column++; printed++
	:: squashed?stop -> break
	:: column == LINE -> progress_line_full: column = 0
	od;
	assert(printed <= CARDS * WIDTH)
}
