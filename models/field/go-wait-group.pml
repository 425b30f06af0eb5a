/* A Go program translated: a wait group and results in a buffered channel, closed when all are done.

   expect: buffers PROVED
   expect: bound results.sync 3
   expect: deadlock VIOLATED
   expect: assertions PROVED */
#define WORKERS 3
typedef Wgdef { chan update = [0] of { int }; chan wait = [0] of { int }; int Counter = 0 };
typedef Chandef { chan in = [0] of { int }; chan sync = [3] of { int }; bool closed = false };
Wgdef wg;
Chandef results;

active proctype wgMonitor() {
	int i;
end:	do
	:: wg.update?i -> wg.Counter = wg.Counter + i; assert(wg.Counter >= 0)
	:: wg.Counter == 0 -> wg.wait!0
	od
}

proctype work(int k) {
	results.sync!k;
	wg.update!-1
}

init {
	int i, v;
	for (i : 1 .. WORKERS) { wg.update!1; run work(i) }
	wg.wait?v;
	results.closed = true;
	do
	:: results.sync?v
	:: empty(results.sync) -> break
	od
}
