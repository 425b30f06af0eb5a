/* Three-way handshake and tear-down with retransmission by timeout.

   expect: buffers PROVED
   expect: bound c2s 2
   expect: bound s2c 1
   expect: progress VIOLATED
   expect: deadlock PROVED */
mtype = { syn, synack, ack, fin, finack };
chan c2s = [2] of { mtype };
chan s2c = [2] of { mtype };

active proctype Client() {
closed:
	c2s!syn;
	do
	:: s2c?synack -> c2s!ack; break
	:: timeout -> c2s!syn
	od;
progress:
	c2s!fin;
	do
	:: s2c?finack -> break
	:: s2c?synack
	:: timeout -> c2s!fin
	od;
	goto closed
}

active proctype Server() {
listen:
	do
	:: c2s?syn -> s2c!synack
	:: c2s?ack
	:: c2s?fin -> s2c!finack
	:: c2s?_	/* lost */
	od
}
