/* Handover of a mobile station between two base stations, as in GSM.
   Our own model after the published handover procedure (also told in Milner's and in Orava and Parrow's papers): the switching centre
   sends data to the mobile station over the active base station, and may order a handover to the passive one: the
   command goes down, the mobile answers at the new base station, the old channel is released. Messages carry the name of the
   channel to be used next, so channels travel in messages.
   True: bounded: the centre waits for an answer to each message. Livelocked: it may send data for ever and hand over never (the progress
   is a completed handover). No deadlock.

   expect: buffers PROVED
   expect: bound toStation[0] 1
   expect: bound toStation[1] 1
   expect: bound fromStation[0] 1
   expect: bound fromStation[1] 1
   expect: bound radio[0] 1
   expect: bound radio[1] 1
   expect: bound answers[0] 1
   expect: bound answers[1] 1
   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { data, taken, command, handover, complete, release, released };
chan toStation[2] = [1] of { mtype, chan };    /* centre to base station */
chan fromStation[2] = [1] of { mtype };        /* base station to centre */
chan radio[2] = [1] of { mtype, chan };        /* base station to mobile */
chan answers[2] = [1] of { mtype };            /* mobile to base station */

active proctype Centre() {
	byte active_station = 0;
	do
	:: toStation[active_station]!data(radio[0]);
	   fromStation[active_station]?taken
	:: toStation[active_station]!command(radio[1 - active_station]);
	   fromStation[1 - active_station]?complete;
	   toStation[active_station]!release(radio[0]);
	   fromStation[active_station]?released;
progress_handed_over:
	   active_station = 1 - active_station
	od
}

proctype Station(byte me) {
	chan other;
	do
	:: toStation[me]?data(other) -> radio[me]!data(other); answers[me]?taken; fromStation[me]!taken
	:: toStation[me]?command(other) -> radio[me]!handover(other); toStation[me]?release(other); fromStation[me]!released
	:: answers[me]?complete -> fromStation[me]!complete
	od
}

active proctype Mobile() {
	chan mine = radio[0];
	chan next;
	byte here = 0;
	do
	:: mine?data(next) -> answers[here]!taken
	:: mine?handover(next) -> mine = next; here = 1 - here; answers[here]!complete
	od
}

init {
	run Station(0);
	run Station(1)
}
