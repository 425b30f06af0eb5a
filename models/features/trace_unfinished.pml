// A trace that is not finished: an error where processes wait at valid ends, none where all have died.
// expect: states 6 transitions 6
// expect: errors 1 atomic-steps 0
mtype = { a }; chan c = [2] of { mtype }; chan quiet = [1] of { bit };
trace { c!a; c?a; c!a }
active proctype P() { c!a; c?a; if :: true -> end: quiet?1 :: skip fi }
