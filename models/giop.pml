/* CORBA's General Inter-ORB Protocol: users call objects that may move from one agent to another.
   Our own model after the description of GIOP in the cycle-dependency study (figure 6), IBOC (section 4) and the published
   protocol: a client ORB turns user requests into Request messages with a number, an agent ORB passes them to the server object, or
   answers that the object has moved (status 5: ask the other agent; 4: no exception).
   Sources of unboundedness, as IBOC found them: the user does not wait for replies, and objects register a move at any time.
   True: unbounded for both reasons. Livelock-free if requests and moves count as progress: nothing else goes on for ever. With the declared
   capacities there is no deadlock: the user can always take replies.

   expect: buffers VIOLATED
   expect: bound toClientL 2
   expect: bound toAgent[0] 2
   expect: bound toAgent[1] 2
   expect: bound toServer[0] 1
   expect: bound toServer[1] 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

#define IDS 2
mtype = { URequest, UReply, Request, Reply, SRequest, SReply, SRegister };
chan fromUser = [2] of { mtype };
chan toUser = [2] of { mtype };
chan toClientL = [4] of { mtype, byte, byte };            /* request number, status */
chan toAgent[2] = [4] of { mtype, byte };
chan toServer[2] = [2] of { mtype, byte };                /* a server object at each agent */
chan fromServer[2] = [2] of { mtype, byte };
byte objectAt = 0;                                        /* the agent that the object is registered with */

active proctype User() {
	do
	:: true ->
progress_user_request:
	   fromUser!URequest
	:: toUser?UReply -> skip
	od
}

active proctype GIOPClient() {
	bool usedReqId[IDS];
	byte at = 0;                                      /* the agent that is thought to have the object */
	byte id, reqId, reply_status;
	do
	:: fromUser?URequest ->
	   do                                             /* wait for a free number */
	   :: !usedReqId[0] -> id = 0; break
	   :: usedReqId[0] && !usedReqId[1] -> id = 1; break
	   :: usedReqId[0] && usedReqId[1] ->
	      toClientL?Reply(reqId, reply_status);
	      if
	      :: reply_status == 4 -> usedReqId[reqId] = false; toUser!UReply
	      :: reply_status == 5 -> at = 1 - at; toAgent[at]!Request(reqId)
	      fi
	   od;
	   usedReqId[id] = true;
	   toAgent[at]!Request(id)
	:: toClientL?Reply(reqId, reply_status) ->
	   if
	   :: usedReqId[reqId] ->
	      if
	      :: reply_status == 4 -> usedReqId[reqId] = false; toUser!UReply
	      :: reply_status == 5 -> at = 1 - at; toAgent[at]!Request(reqId)
	      fi
	   :: !usedReqId[reqId] -> assert(false)
	   fi
	od
}

proctype GIOPAgent(byte me) {
	byte id, rs;
	do
	:: toAgent[me]?Request(id) ->
	   if
	   :: objectAt == me ->
	      toServer[me]!SRequest(id);
	      do
	      :: fromServer[me]?SReply(id) -> rs = 4; break
	      :: fromServer[me]?SRegister(_) -> objectAt = me
	      od
	   :: objectAt != me -> rs = 5
	   fi;
	   toClientL!Reply(id, rs)
	:: fromServer[me]?SRegister(_) -> objectAt = me
	od
}

proctype Server(byte me) {
	byte id;
	do
	:: toServer[me]?SRequest(id) -> fromServer[me]!SReply(id)
	:: true ->                                        /* the object has moved here */
progress_migration:
	   fromServer[me]!SRegister(0)
	od
}

init {
	atomic {
		run GIOPAgent(0); run GIOPAgent(1);
		run Server(0); run Server(1)
	}
}
