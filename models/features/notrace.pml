// notrace: an order of events that must not happen.
// expect: states 7 transitions 8
// expect: errors 1 atomic-steps 0
mtype = { a, b }; chan c = [1] of { mtype };
notrace { if :: c!a; c!b fi }
active proctype P() { if :: c!a :: c!b fi; c!b }
active proctype Q() { mtype m; end: do :: c?m od }
