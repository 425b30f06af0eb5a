// Remote references: where another process stands, and its variables.
// expect: states 35 transitions 47
// expect: errors 4 atomic-steps 0
byte x;
active proctype P() { byte own = 3; x = 1; here: own = own + 1; x = 2; there: skip }
active proctype Q() { P@here -> assert(x == 1); (P[0]:own == 4) -> x = 9; if :: P[0]@there -> x = 7 :: x == 2 fi }
