// A handshake hands control over to the receiver; a receiver inside atomic keeps it.
// expect: states 30 transitions 47
// expect: errors 1 atomic-steps 13
chan c = [0] of { byte }; byte x, y;
active proctype A() { atomic { x = 1; c!1; x = 2; c!2; x = 3 } }
active proctype B() { byte v; c?v; y = v; atomic { c?v; y = 10 + v; x = x + 1 }; assert(x != 9) }
active proctype C() { x == 2 -> y = 77 }
