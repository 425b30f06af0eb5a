// A never claim with variables of its own view: it watches globals and places.
// expect: states 6 transitions 7
// expect: errors 0 atomic-steps 0
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> here: x = 0 od }
never { do :: x < 2 :: x == 2 -> break od; accept: do :: !P@here od }
