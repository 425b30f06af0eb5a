/* Snooping cache coherence: two processors, their caches, a bus that serialises, and a memory.
   Our own model of the textbook write-invalidate protocol for one line (states invalid, shared, modified). A cache that
   misses asks the bus; the bus asks the other cache and, if that one has no newer copy, the memory, and then answers.
   In the size of Ciclo's model: a device that reads over the bus is the seventh process, sixteen buffers.
   True: bounded; a cache's report that it is done and its next request may both wait for the bus. Livelocked for "a write is done": the processors may read for ever. No deadlock.
   There is never a modified copy beside another copy (assertion of the bus at each grant).

   expect: buffers PROVED
   expect: bound cpuToCache[0] 1
   expect: bound cpuToCache[1] 1
   expect: bound cacheToCpu[0] 1
   expect: bound cacheToCpu[1] 1
   expect: bound cacheToBus[0] 2
   expect: bound cacheToBus[1] 2
   expect: bound busToCache[0] 1
   expect: bound busToCache[1] 1
   expect: bound snoop[0] 1
   expect: bound snoop[1] 1
   expect: bound snooped[0] 1
   expect: bound snooped[1] 1
   expect: bound busToMemory 1
   expect: bound memoryToBus 1
   expect: bound deviceToBus 1
   expect: bound busToDevice 1
   expect: progress VIOLATED
   expect: deadlock PROVED
   expect: assertions PROVED */

mtype = { invalid, shared, modified,
          read, write, done,
          getShared, getModified, grant,
          snoopShared, snoopModified, clean, dirty,
          fetch, line };
chan cpuToCache[2] = [1] of { mtype };
chan cacheToCpu[2] = [1] of { mtype };
chan cacheToBus[2] = [1] of { mtype };
chan busToCache[2] = [1] of { mtype };
chan snoop[2] = [1] of { mtype };
chan snooped[2] = [1] of { mtype };
chan busToMemory = [1] of { mtype };
chan memoryToBus = [1] of { mtype };
chan deviceToBus = [1] of { mtype };
chan busToDevice = [1] of { mtype };
mtype copy[2] = invalid;

proctype Cpu(byte me) {
	do
	:: cpuToCache[me]!read; cacheToCpu[me]?done
	:: cpuToCache[me]!write; cacheToCpu[me]?done;
progress_written:
	   skip
	od
}

proctype Cache(byte me) {
	mtype wanted;
ready:	do
	:: cpuToCache[me]?read ->
	   if
	   :: copy[me] != invalid -> cacheToCpu[me]!done
	   :: copy[me] == invalid -> wanted = shared; cacheToBus[me]!getShared; goto waiting
	   fi
	:: cpuToCache[me]?write ->
	   if
	   :: copy[me] == modified -> cacheToCpu[me]!done
	   :: copy[me] != modified -> wanted = modified; cacheToBus[me]!getModified; goto waiting
	   fi
	:: snoop[me]?snoopShared ->
	   if
	   :: copy[me] == modified -> copy[me] = shared; snooped[me]!dirty
	   :: copy[me] != modified -> snooped[me]!clean
	   fi
	:: snoop[me]?snoopModified ->
	   if
	   :: copy[me] == modified -> copy[me] = invalid; snooped[me]!dirty
	   :: copy[me] != modified -> copy[me] = invalid; snooped[me]!clean
	   fi
	od;
waiting:
	do
	:: busToCache[me]?grant ->
	   copy[me] = wanted;
	   assert(wanted != modified || copy[1 - me] == invalid);
	   cacheToCpu[me]!done;
	   cacheToBus[me]!done;
	   break
	:: snoop[me]?snoopShared ->                       /* the other one came first */
	   if
	   :: copy[me] == modified -> copy[me] = shared; snooped[me]!dirty
	   :: copy[me] != modified -> snooped[me]!clean
	   fi
	:: snoop[me]?snoopModified ->
	   if
	   :: copy[me] == modified -> copy[me] = invalid; snooped[me]!dirty
	   :: copy[me] != modified -> copy[me] = invalid; snooped[me]!clean
	   fi
	od;
	goto ready
}

active proctype Bus() {
	byte asker = 0;
idle:	do
	:: cacheToBus[0]?getShared -> asker = 0; snoop[1]!snoopShared; goto collect
	:: cacheToBus[1]?getShared -> asker = 1; snoop[0]!snoopShared; goto collect
	:: cacheToBus[0]?getModified -> asker = 0; snoop[1]!snoopModified; goto collect
	:: cacheToBus[1]?getModified -> asker = 1; snoop[0]!snoopModified; goto collect
	:: deviceToBus?fetch ->
	   busToMemory!fetch;
	   memoryToBus?line;
	   busToDevice!line
	od;
collect:
	if
	:: snooped[1 - asker]?dirty -> skip
	:: snooped[1 - asker]?clean -> busToMemory!fetch; memoryToBus?line
	fi;
	busToCache[asker]!grant;
	cacheToBus[asker]?done;
	goto idle
}

active proctype Memory() {
	do
	:: busToMemory?fetch -> memoryToBus!line
	od
}

active proctype Device() {
	do
	:: deviceToBus!fetch; busToDevice?line
	od
}

init {
	atomic {
		run Cpu(0); run Cpu(1);
		run Cache(0); run Cache(1)
	}
}
