// notrace: an order of events that must not happen.
mtype = { a, b }; chan c = [1] of { mtype };
notrace { if :: c!a; c!b fi }
active proctype P() { if :: c!a :: c!b fi; c!b }
active proctype Q() { mtype m; end: do :: c?m od }
