/* Ricart and Agrawala: requests with a ticket number, replies deferred while one's own request is older. Two processes for each node, as in
   Ben-Ari's book.

   expect: buffers PROVED
   expect: bound ch[0] 2
   expect: bound ch[1] 2
   expect: bound deferred[0] 1
   expect: bound deferred[1] 1
   expect: progress PROVED
   expect: deadlock PROVED
   expect: assertions VIOLATED */
#define N 2
mtype = { request, reply };
chan ch[N] = [4] of { mtype, byte, byte };
byte myNum[N], highestNum[N];
bool requestCS[N];
chan deferred[N] = [N] of { byte };
byte critical = 0;

proctype Main(byte id) {
	byte i, n;
	do
	:: atomic { requestCS[id] = true; myNum[id] = highestNum[id] % 4 + 1 };
		for (i : 0 .. N - 1) {
			if
			:: i != id -> ch[i]!request(id, myNum[id])
			:: else
			fi
		}
		for (i : 0 .. N - 2) { ch[id]??reply(_, _) }
		critical++;
progress:	assert(critical == 1);
		critical--;
		requestCS[id] = false;
		do
		:: deferred[id]?n -> ch[n]!reply(0, 0)
		:: empty(deferred[id]) -> break
		od
	od
}

proctype Receive(byte id) {
	byte n, src;
	do
	:: ch[id]??request(src, n) ->
		if
		:: n > highestNum[id] -> highestNum[id] = n
		:: else
		fi;
		atomic {
			if
			:: requestCS[id] && (myNum[id] < n || (myNum[id] == n && id < src)) -> deferred[id]!src
			:: else -> ch[src]!reply(0, 0)
			fi
		}
	od
}

init { atomic { byte i; for (i : 0 .. N - 1) { run Main(i); run Receive(i) } } }
