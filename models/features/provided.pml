// provided: a process moves only while its condition holds.
// expect: states 12 transitions 12
// expect: errors 1 atomic-steps 0
byte turn; byte x;
active proctype P() provided (turn == 0) { x = 1; turn = 1; x = 2; turn = 2 }
active proctype Q() provided (turn != 0 && _pid == 1) { x = x + 10; if :: turn = 0 :: skip fi; x = 5 }
