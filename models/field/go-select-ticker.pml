/* A Go program translated: select over a ticker, a job queue and quit; the ticker drops ticks when nobody takes them.
   True: tick grows for ever; the others are bounded.

   expect: buffers VIOLATED
   expect: bound jobs 5
   expect: bound results 5
   expect: deadlock PROVED */
chan tick = [1] of { bit };
chan jobs = [5] of { byte };
chan results = [5] of { byte };
chan quit = [0] of { bit };

active proctype Ticker() {
	do
	:: nfull(tick) -> tick!1
	:: full(tick) -> skip
	od
}

active proctype Producer() {
	byte i;
	for (i : 1 .. 5) { jobs!i }
	for (i : 1 .. 5) { results?_ }
	quit!1
}

active proctype Worker() {
	byte j;
	do
	:: tick?_ -> skip
	:: jobs?j -> results!j
	:: quit?_ -> break
	od
}
