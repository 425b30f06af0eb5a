// enabled and pc_value ask about other processes.
byte x;
active proctype P() { x = 1; x == 2 -> x = 3 }
active proctype Q() { if :: enabled(0) -> x = x + 4 :: !enabled(0) -> x = 2 fi; if :: pc_value(0) > 2 -> skip :: pc_value(0) < 3 -> x = 2 fi }
