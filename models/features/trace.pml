// trace: the order in which events of its channels may happen.
// expect: states 9 transitions 10
// expect: errors 2 atomic-steps 0
mtype = { a, b }; chan c = [2] of { mtype };
trace { do :: c!a; c?a od }
active proctype P() { c!a; c!a }
active proctype Q() { c?a; c?a }
