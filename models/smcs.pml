/* Multipoint communication service with tokens, private channels and disconnection: the larger of the two.
   Our own model after the services of ITU-T T.122 and T.125: a top provider with two subordinate providers, one user at each. Users
   attach, join the shared channel or convene a private one and admit the other, send data which is delivered to all members,
   grab, give and release a token, detach; a user's provider answers each request with a result, successful or not.
   In the kind of the SMCS model of the cycle-dependency study (171 cycles): many cycles in few processes.
   True: bounded: a user waits for the confirmation of each request, and the top provider for the receipt of each indication. Livelock-free with
   each completed service as progress. No deadlock. (Bounds by argument: one request and one receipt of a user are under way at most, one
   result and one indication to it; search reached these values, and 13 million states without exceeding them.)

   expect: buffers PROVED
   expect: bound request[0] 2
   expect: bound request[1] 2
   expect: bound answer[0] 2
   expect: bound answer[1] 2
   expect: bound up[0] 2
   expect: bound up[1] 2
   expect: bound down[0] 2
   expect: bound down[1] 2
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { attach, detach, join, part, convene, disband, admit, send, grab, give, release,
          confirm, refuse, indication, receipt };
#define NOBODY 2
chan request[2] = [2] of { mtype };              /* user to provider */
chan answer[2] = [2] of { mtype };               /* provider to user */
chan up[2] = [2] of { mtype };                   /* provider to top */
chan down[2] = [2] of { mtype };                 /* top to provider */
bool attached[2], member[2];
bit completed = 0;

proctype User(byte me) {
	bool in = false;                         /* attached */
	bool member_ = false;                    /* joined the shared channel */
	bool owner = false;                      /* convened the private channel */
	bool token = false;                      /* holds the token */
	mtype asked, result;
	do
	:: answer[me]?indication -> request[me]!receipt          /* data of the other user */
	:: if
	   :: !in -> asked = attach
	   :: in && !member_ -> asked = join
	   :: in && member_ -> asked = part
	   :: in && member_ -> asked = send
	   :: in && !owner -> asked = convene
	   :: in && owner -> asked = admit
	   :: in && owner -> asked = disband
	   :: in && !token -> asked = grab
	   :: in && token -> asked = give
	   :: in && token -> asked = release
	   :: in && !member_ && !owner && !token -> asked = detach
	   fi;
	   request[me]!asked;
	   do                                            /* an indication may come before the result */
	   :: answer[me]?indication -> request[me]!receipt
	   :: answer[me]?confirm -> result = confirm; break
	   :: answer[me]?refuse -> result = refuse; break
	   od;
progress_service_complete:
	   completed = 1 - completed;
	   if
	   :: result == refuse -> skip
	   :: result == confirm && asked == attach -> in = true
	   :: result == confirm && asked == detach -> in = false
	   :: result == confirm && asked == join -> member_ = true
	   :: result == confirm && asked == part -> member_ = false
	   :: result == confirm && asked == convene -> owner = true
	   :: result == confirm && asked == disband -> owner = false
	   :: result == confirm && asked == grab -> token = true
	   :: result == confirm && (asked == release || asked == give) -> token = false
	   :: result == confirm && (asked == send || asked == admit) -> skip
	   fi
	od
}

proctype Provider(byte me) {
	mtype m;
	do
	:: request[me]?m -> up[me]!m
	:: down[me]?m -> answer[me]!m
	od
}

active proctype Top() {
	byte holder = NOBODY;                    /* of the token */
	byte convener = NOBODY;                  /* of the private channel */
	bool pending[2];                         /* an indication that the user has not yet received */
	byte who;
	mtype m;
	do
	:: if
	   :: up[0]?m -> who = 0
	   :: up[1]?m -> who = 1
	   fi;
	   if
	   :: m == attach -> attached[who] = true; down[who]!confirm
	   :: m == detach -> attached[who] = false; down[who]!confirm
	   :: m == join -> member[who] = true; down[who]!confirm
	   :: m == part -> member[who] = false; down[who]!confirm
	   :: m == convene ->
	      if
	      :: convener == NOBODY -> convener = who; down[who]!confirm
	      :: convener != NOBODY -> down[who]!refuse
	      fi
	   :: m == disband -> assert(convener == who); convener = NOBODY; down[who]!confirm
	   :: m == admit ->
	      if
	      :: attached[1 - who] -> down[who]!confirm
	      :: !attached[1 - who] -> down[who]!refuse
	      fi
	   :: m == grab ->
	      if
	      :: holder == NOBODY -> holder = who; down[who]!confirm
	      :: holder != NOBODY -> down[who]!refuse
	      fi
	   :: m == give ->
	      assert(holder == who);
	      if
	      :: holder = NOBODY; down[who]!confirm
	      :: down[who]!refuse
	      fi
	   :: m == release -> assert(holder == who); holder = NOBODY; down[who]!confirm
	   :: m == send ->
	      if
	      :: member[1 - who] && !pending[1 - who] -> pending[1 - who] = true; down[1 - who]!indication; down[who]!confirm
	      :: member[1 - who] && pending[1 - who] -> down[who]!refuse
	      :: !member[1 - who] -> down[who]!confirm
	      fi
	   :: m == receipt -> pending[who] = false
	   fi
	od
}

init {
	atomic {
		run User(0); run Provider(0);
		run User(1); run Provider(1)
	}
}
