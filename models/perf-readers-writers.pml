/* Readers and writers with a manager: wishes wait in a buffer for each kind, grants come back over one channel a process.
   Our own model; -DREADERS=..., -DWRITERS=... set the numbers.
   True: bounded: each process has one request under way. No deadlock. Nobody reads while somebody writes.

   expect: buffers PROVED
   expect: bound readWish 4
   expect: bound writeWish 3
   expect: bound granted[0] 1
   expect: bound granted[1] 1
   expect: bound granted[2] 1
   expect: bound granted[3] 1
   expect: bound granted[4] 1
   expect: bound granted[5] 1
   expect: bound granted[6] 1
   expect: deadlock PROVED
   expect: assertions PROVED
   expect: states 89416 transitions 348722 */

#ifndef READERS
#define READERS 4
#endif
#ifndef WRITERS
#define WRITERS 3
#endif
mtype = { wish, grant, stopRead, stopWrite };
chan readWish = [READERS] of { mtype, byte };
chan writeWish = [WRITERS] of { mtype, byte };
chan finished = [0] of { mtype };
chan granted[READERS + WRITERS] = [1] of { mtype };
byte reading = 0, writing = 0;

proctype Reader(byte me) {
	do
	:: readWish!wish(me);
	   granted[me]?grant;
	   assert(writing == 0);
	   finished!stopRead
	od
}

proctype Writer(byte me) {
	do
	:: writeWish!wish(me);
	   granted[me]?grant;
	   assert(reading == 0 && writing == 1);
	   finished!stopWrite
	od
}

active proctype Manager() {
	byte who;
	do
	:: writing == 0 && nempty(readWish) ->
	   readWish?wish(who);
	   reading++;
	   granted[who]!grant;
	   who = 0
	:: reading == 0 && writing == 0 && nempty(writeWish) ->
	   writeWish?wish(who);
	   writing++;
	   granted[who]!grant;
	   who = 0
	:: finished?stopRead -> reading--
	:: finished?stopWrite -> writing--
	od
}

init {
	byte i = 0;
	atomic {
		do
		:: i < READERS -> run Reader(i); i++
		:: else -> break
		od;
		do
		:: i < READERS + WRITERS -> run Writer(i); i++
		:: else -> break
		od
	}
}
