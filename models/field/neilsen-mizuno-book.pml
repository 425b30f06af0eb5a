/* Neilsen and Mizuno as in a textbook: a token walks along a tree whose edges turn round.

   expect: buffers PROVED
   expect: bound ch[0] 3
   expect: bound ch[1] 2
   expect: bound ch[2] 2
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */
#define N 3
mtype = { request, token };
chan ch[N] = [N] of { mtype, byte, byte };
byte parent[N] = 0, deferred[N] = 0;
bool holding[N] = false;
byte critical = 0;

proctype Main(byte me) {
	do
	:: atomic {
		if
		:: !holding[me] ->
			ch[parent[me]]!request(me, me);
			parent[me] = 255;
			ch[me]??token(_, _)
		:: else
		fi;
		holding[me] = false
		}
		critical++;
progress:	assert(critical == 1);
		critical--;
		atomic {
			if
			:: deferred[me] != 255 -> ch[deferred[me]]!token(0, 0); deferred[me] = 255
			:: else -> holding[me] = true
			fi
		}
	od
}

proctype Receive(byte me) {
	byte source, originator;
	do
	:: atomic {
		ch[me]??request(source, originator);
		if
		:: parent[me] == 255 && holding[me] -> ch[originator]!token(0, 0); holding[me] = false
		:: parent[me] == 255 && !holding[me] -> deferred[me] = originator
		:: else -> ch[parent[me]]!request(me, originator)
		fi;
		parent[me] = source
		}
	od
}

init {
	atomic {
		byte i;
		for (i : 0 .. N - 1) {
			deferred[i] = 255;
			holding[i] = (i == 0);
			parent[i] = (i == 0 -> 255 : 0);
			run Main(i); run Receive(i)
		}
	}
}
