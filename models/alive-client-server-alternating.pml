/* Client/server of the livelock paper: progress is that client 0 gets its answer.
   Our own model after aLive ("A Livelock Freedom Analysis for Infinite State Asynchronous Reactive Systems"),
   section 4 (figure 1 with a server that serves the clients in turn).
   True: bounded; livelock-free: each round of the server serves both. No deadlock.

   expect: buffers PROVED
   expect: bound c_s[0] 2
   expect: bound c_s[1] 2
   expect: bound s_c[0] 1
   expect: bound s_c[1] 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { req, ack, rel };

chan c_s[2] = [1] of { mtype };
chan s_c[2] = [1] of { mtype };

proctype client(int index) {
	do
	:: c_s[index]!req;
	   if
	   :: index == 0 -> progress_first_client_served: s_c[index]?ack
	   :: index == 1 -> s_c[index]?ack
	   fi;
	   c_s[index]!rel
	od
}

proctype server() {
	do
	:: c_s[0]?req -> s_c[0]!ack; c_s[0]?rel;
	   c_s[1]?req -> s_c[1]!ack; c_s[1]?rel
	od
}

init {
	run server();
	atomic {
		run client(0);
		run client(1)
	}
}
