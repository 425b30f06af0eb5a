/* As in a user interface: events flood a queue, and whoever handles one holds a lock that is a message.
   True: events, replies[0], replies[1] grow for ever; the others are bounded.

   expect: buffers VIOLATED
   expect: bound lock 1
   expect: deadlock PROVED */
mtype = { event, token, reply };
chan events = [8] of { mtype, byte };
chan lock = [1] of { mtype };
chan replies[2] = [1] of { mtype };

active proctype Environment() { do :: events!event(0) :: events!event(1) od }

active [2] proctype Handler() {
	byte who;
	do
	:: lock?token -> events?event(who); replies[who]!reply; lock!token
	od
}

active proctype Reader() {
	do
	:: replies[0]?reply
	:: replies[1]?reply
	od
}

init { lock!token }
