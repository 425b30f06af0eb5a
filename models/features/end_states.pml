// Valid and invalid ends: end labels, closing braces, blocked processes.
// expect: states 12 transitions 15
// expect: errors 1 atomic-steps 0
chan c = [1] of { bit };
active proctype Waits() { end: c?1; if :: c?0 :: c?1 fi }
active proctype Sends() { c!1; if :: c!0 :: skip fi }
