/* Publish and subscribe through a broker: subscribers join and leave, a publication goes to who is subscribed and is confirmed by each.

   expect: buffers PROVED
   expect: bound broker 3
   expect: bound inbox[0] 1
   expect: bound inbox[1] 1
   expect: bound confirmed 1
   expect: progress PROVED
   expect: deadlock PROVED */
#define S 2
mtype = { join, leave, publish, note, confirm };
chan broker = [4] of { mtype, byte };
chan inbox[S] = [2] of { mtype };
chan confirmed = [1] of { mtype };

active proctype Broker() {
	bool member[S];
	byte who, i, waiting;
	do
	:: broker?join(who) -> member[who] = true
	:: broker?leave(who) -> member[who] = false
	:: broker?publish(_) ->
		waiting = 0;
		for (i : 0 .. S - 1) {
			if
			:: member[i] -> inbox[i]!note; waiting++
			:: else
			fi
		}
		do
		:: waiting > 0 -> broker??confirm(_); waiting--
		:: waiting == 0 -> break
		od;
		confirmed!confirm
	od
}

active proctype Publisher() {
	do
	:: broker!publish(0); confirmed?confirm; progress: skip
	od
}

proctype Subscriber(byte me) {
	bool in = false;
	do
	:: !in && empty(inbox[me]) -> broker!join(me); in = true
	:: inbox[me]?note -> broker!confirm(me)
	od
}
init { run Subscriber(0); run Subscriber(1) }
