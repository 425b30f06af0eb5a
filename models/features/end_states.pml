// Valid and invalid ends: end labels, closing braces, blocked processes.
chan c = [1] of { bit };
active proctype Waits() { end: c?1; if :: c?0 :: c?1 fi }
active proctype Sends() { c!1; if :: c!0 :: skip fi }
