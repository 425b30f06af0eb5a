/* A router with an acknowledgement bit for each port: a source may send again only when its bit is set, the sink sets it.

   expect: buffers PROVED
   expect: bound port[0] 1
   expect: bound port[1] 1
   expect: bound port[2] 1
   expect: bound out 3
   expect: progress PROVED
   expect: deadlock PROVED */
#define N 3
chan port[N] = [2] of { byte };
chan out = [4] of { byte };
bool Ack[N] = true;

active [N] proctype Source() {
	do
	:: Ack[_pid] -> Ack[_pid] = false; port[_pid]!_pid
	od
}

active proctype Router() {
	byte x;
	do
	:: port[0]?x -> out!x
	:: port[1]?x -> out!x
	:: port[2]?x -> out!x
	od
}

active proctype Sink() {
	byte x;
	do
	:: out?x -> progress: Ack[x] = true
	od
}
