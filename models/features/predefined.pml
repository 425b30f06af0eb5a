// _pid, _nr_pr and _last.
// expect: states 92 transitions 156
// expect: errors 2 atomic-steps 0
byte x;
active [2] proctype P() { x = _pid; if :: _last == 0 -> x = 5 :: _last == 1 -> x = 6 fi; (_nr_pr > 1) -> x = _last }
