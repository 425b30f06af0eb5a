/* A Go program translated: a mutex as a monitor process, three goroutines that count under it.

   expect: buffers PROVED
   expect: bound done 3
   expect: deadlock VIOLATED
   expect: assertions PROVED */
typedef Mutex { chan Lock = [0] of { bool }; chan Unlock = [0] of { bool } };
Mutex m;
int count = 0;
chan done = [3] of { bool };

active proctype monitor() {
	bool locked = false;
	do
	:: !locked -> m.Lock?true; locked = true
	:: locked -> m.Unlock?false; locked = false
	od
}

proctype worker(byte rounds) {
	byte i;
	for (i : 1 .. rounds) {
		m.Lock!true;
		count++;
		m.Unlock!false
	}
	done!true
}

init {
	bool b;
	run worker(2); run worker(2); run worker(2);
	done?b; done?b; done?b;
	assert(count == 6)
}
