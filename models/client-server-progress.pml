/* Client/server, with the progress that Ciclo's section V asks for: client 0 gets its answer again and again.
   Our own model after Ciclo, figure 1 and section V ("the receipt of an ack message in the process client(0)").
   True: bounds as in client-server.pml; livelocked, because the server may serve client 1 only.

   expect: buffers PROVED
   expect: bound ts[0] 2
   expect: bound ts[1] 2
   expect: bound tc[0] 1
   expect: bound tc[1] 1
   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { req, ack, rel };
chan ts[2] = [1] of { mtype };
chan tc[2] = [1] of { mtype };

init {
	byte i = 0;
	do
	:: i < 2 -> run client(i); i++
	:: else -> break
	od;
	run server()
}

proctype client(byte id) {
	do
	:: ts[id]!req;
	   if
	   :: id == 0 -> progress_first_client_served: tc[id]?ack
	   :: id == 1 -> tc[id]?ack
	   fi;
	   ts[id]!rel
	od
}

proctype server() {
	do
	:: ts[0]?req -> tc[0]!ack; ts[0]?rel
	:: ts[1]?req -> tc[1]!ack; ts[1]?rel
	od
}
