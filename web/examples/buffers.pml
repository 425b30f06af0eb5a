/* Buffers: how full can they get, if they could hold as much as anybody sends?
   A client waits for an answer before it asks again, so one place is enough for `requests`, whatever number stands in its brackets.
   Nobody keeps the logger back: `log` grows for ever. Mend it: let the client wait for the logger too.

   expect: buffers VIOLATED
   expect: bound requests 1
   expect: bound answers 1
   expect: deadlock PROVED */

mtype = { ask, answer, line };
chan requests = [4] of { mtype };
chan answers = [4] of { mtype };
chan log = [4] of { mtype };

active proctype Client() {
	do
	:: requests!ask;
	   log!line;
	   answers?answer
	od
}

active proctype Server() {
	do
	:: requests?ask -> answers!answer
	od
}

active proctype Logger() {
	do
	:: log?line
	od
}
