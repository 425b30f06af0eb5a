/* Client/server: two clients ask one server for a resource, use it, and give it back.
   Our own model after Ciclo ("Integer Linear Programming Based Property Checking for Asynchronous Reactive
   Systems"), figure 1. Line n of the figure is line n + 15 here.
   True: every buffer is bounded; a client's second message (rel) may still wait when its next req arrives, so ts
   holds at most two; an answer is taken before the next one is asked for, so tc holds at most one. No deadlock.
   No statement is labelled as progress here: see client-server-progress.pml.

   expect: buffers PROVED
   expect: bound ts[0] 2
   expect: bound ts[1] 2
   expect: bound tc[0] 1
   expect: bound tc[1] 1
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { req, ack, rel };
chan ts[2] = [1] of { mtype };           /* to the server */
chan tc[2] = [1] of { mtype };           /* to the clients */
init {
	byte i = 0;
	do
	:: i < 2 -> run client(i); i++
	:: else -> break
	od;
	run server() }
proctype client(byte id) {
	do
	:: ts[id]!req; tc[id]?ack; ts[id]!rel
	od }
proctype server() {
	do
	:: ts[0]?req -> tc[0]!ack; ts[0]?rel
	:: ts[1]?req -> tc[1]!ack; ts[1]?rel
	od }
