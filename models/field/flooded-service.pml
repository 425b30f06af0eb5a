/* A service with an environment that floods one of its buffers: users press a button as often as they like; the service and its worker
   talk with each other in a bounded manner.
   True: button, logbook grow for ever; the others are bounded.

   expect: buffers VIOLATED
   expect: bound job 1
   expect: bound done 1
   expect: deadlock PROVED */
chan button = [4] of { byte };
chan job = [1] of { byte };
chan done = [1] of { byte };
chan logbook = [2] of { byte };

active proctype User() { do :: button!1 od }

active proctype Service() {
	byte x;
	do
	:: button?x -> job!x; done?x; logbook!x
	od
}

active proctype Worker() { byte x; do :: job?x -> done!x od }
active proctype Writer() { byte x; do :: logbook?x od }
