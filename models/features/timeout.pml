// timeout is true only where nothing else can move, also inside expressions and inside atomic.
// expect: states 27 transitions 29
// expect: errors 0 atomic-steps 5
byte x; chan c = [1] of { bit };
active proctype P() { do :: c?1 -> x++ :: timeout -> if :: x < 2 -> c!1 :: else -> break fi od; (x == 7 || timeout) -> x = 9 }
active proctype Q() { atomic { x == 1 -> timeout -> x = 2 } }
