/* HTTPR, pulling side: a client fetches messages from a server by HTTP requests that may be repeated after a crash.
   Our own model after the published description of HTTPR (reliable HTTP): each PULL names the last message that the client
   has stored safely; the server repeats its current message until that one is confirmed. Each side may crash and forget
   what it had not stored; there are at most CRASHES crashes, counted in a variable that both share.
   True: bounded: a new request is sent after a reply or after a crash only. Livelock-free: with finitely many crashes, messages are stored again and again. No
   deadlock. No message is stored twice or left out.

   expect: buffers PROVED
   expect: bound requests 3
   expect: bound replies 3
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#ifndef CRASHES
#define CRASHES 2
#endif
mtype = { pull, message, nothing };
chan requests = [3] of { mtype, bit };       /* pull, number of the last message stored */
chan replies = [3] of { mtype, bit };
byte crashes = 0;
bit serverNumber = 0;                        /* stable storage of the server: number of the current message */
bit clientStored = 1;                        /* stable storage of the client: number of the last message stored */
byte outstanding = 0;                        /* messages stored by the client that the server has not taken off its list */

active proctype Client() {
	bit n;
start:	do
	:: requests!pull(clientStored);
	   if
	   :: replies?message(n) ->
	      if
	      :: n != clientStored ->
	         outstanding++;
	         assert(outstanding == 1);
progress_stored:
	         clientStored = n
	      :: else -> skip                             /* an old message once more */
	      fi
	   :: replies?nothing(_) -> skip
	   :: atomic { crashes < CRASHES -> crashes++ };   /* crash while waiting; the reply may still come */
	      goto start
	   fi
	od
}

active proctype Server() {
	bit n;
	do
	:: requests?pull(n) ->
	   if
	   :: atomic { crashes < CRASHES -> crashes++ };   /* crash before the request is looked at: answer that nothing is known */
	      replies!nothing(0)
	   :: n == serverNumber ->                        /* the client has the current message: go on to the next */
	      outstanding--;
	      serverNumber = 1 - serverNumber;
	      replies!message(serverNumber)
	   :: n != serverNumber -> replies!message(serverNumber)
	   fi
	od
}
