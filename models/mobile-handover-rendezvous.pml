/* Handover of a mobile station between two base stations, all by rendezvous, as Ciclo's table II has it.
   Our own model after Orava's and Parrow's description: a channel of the radio that is free is kept aside; the centre hands it down to the mobile
   over the station that is active, and either the mobile answers on it to the other station, and the old channel comes back, or it
   stays where it is. So names of channels travel down, are used, and travel back up, and the centre itself exchanges its two wires.
   True: nothing is buffered. Livelocked: data may come for ever, and a handover may fail for ever (progress is a handover that is
   completed). No deadlock.

   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { data, command, accepted, complete, failed, release, released };
chan inside = [0] of { byte };               /* data that come in */
chan outside = [0] of { byte };              /* and go out */
chan wire[2] = [0] of { mtype, chan };       /* centre and base station, both ways */
chan radio[2] = [0] of { mtype, chan };      /* base station and mobile, both ways */
chan spare = [0] of { chan };                /* the radio channel that nobody uses */

active proctype Source() {
	do
	:: inside!1
	od
}

active proctype Sink() {
	byte it;
	do
	:: outside?it
	od
}

active proctype Keeper() {
	chan free = radio[1];
	do
	:: spare!free; spare?free
	od
}

active proctype Centre() {
	chan here = wire[0];
	chan there = wire[1];
	chan next, old, other;
	byte it;
	do
	:: inside?it -> here!data(next)
	:: spare?next ->
	   here!command(next);
	   if
	   :: there?complete(old) ->
	      here!release(old);
	      here?released(old);
	      spare!old;
progress_handed_over:
	      other = here;
	      here = there;
	      there = other
	   :: here?failed(old) -> spare!next
	   fi
	od
}

proctype Station(chan up; chan down; bool serves) {
	chan next;
	do
	:: serves ->
	   if
	   :: up?data(next) -> down!data(next)
	   :: up?command(next) ->
	      down!command(next);
	      if
	      :: up?release(next) -> up!released(down); serves = false
	      :: down?failed(next) -> up!failed(next)
	      fi
	   fi
	:: !serves -> down?accepted(next); up!complete(next); serves = true
	od
}

active proctype Mobile() {
	chan mine = radio[0];
	chan next;
	do
	:: mine?data(next) -> outside!1
	:: mine?command(next) ->
	   if
	   :: next!accepted(mine) -> mine = next
	   :: mine!failed(next)
	   fi
	od
}

init {
	atomic {
		run Station(wire[0], radio[0], true);
		run Station(wire[1], radio[1], false)
	}
}
