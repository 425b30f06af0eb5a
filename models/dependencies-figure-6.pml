/* A condition on what was received: c1 goes round only for replies with status 4, which only c2 of the agent sends.
   Our own model after the cycle-dependency study, figure 6, section 5 (an excerpt of a GIOP model, a graph there):
   the dependency (c1, {c2, c3}) on the senders of Reply loses c3, because it sends status 5.
   The client asks for each request number only when it is free, so that the model is closed.
   True: bounded, at most two requests are under way; livelock-free (every infinite run takes replies). A reply with
   status 5 means "ask again at the new place". No deadlock.

   expect: buffers PROVED
   expect: bound toAgent 2
   expect: bound toClientL 2
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { Request, Reply };
chan toAgent = [2] of { mtype, byte };
chan toClientL = [2] of { mtype, byte, byte };
bit usedReqId[2];

active proctype GIOPClient() {
	byte reqId;
	byte reply_status;
	do
	:: usedReqId[0] == 0 -> usedReqId[0] = 1; toAgent!Request(0)
	:: usedReqId[1] == 0 -> usedReqId[1] = 1; toAgent!Request(1)
	:: toClientL?Reply(reqId, reply_status) ->
	   if
	   :: usedReqId[reqId] == 1 ->
	      if
	      :: reply_status == 4 ->                     /* c1 */
progress_served:
	         usedReqId[reqId] = 0
	      :: reply_status == 5 ->
progress_moved:
	         toAgent!Request(reqId)
	      fi
	   :: else -> assert(false)
	   fi
	od
}

active proctype GIOPAgent() {
	byte id;
	byte rs;
	do
	:: toAgent?Request(id) ->
	   if
	   :: rs = 4                                      /* c2 */
	   :: rs = 5                                      /* c3 */
	   fi;
	   toClientL!Reply(id, rs)
	od
}
