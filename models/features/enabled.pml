// enabled and pc_value ask about other processes.
// expect: states 33 transitions 43
// expect: errors 1 atomic-steps 0
byte x;
active proctype P() { x = 1; x == 2 -> x = 3 }
active proctype Q() { if :: enabled(0) -> x = x + 4 :: !enabled(0) -> x = 2 fi; if :: pc_value(0) > 2 -> skip :: pc_value(0) < 3 -> x = 2 fi }
