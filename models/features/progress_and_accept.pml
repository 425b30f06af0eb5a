// progress and accept labels; a loop without progress and one through an accepting state.
// expect: states 7 transitions 9
// expect: errors 0 atomic-steps 0
byte x;
active proctype P() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 0 :: x == 1 -> x = 2; break od; accept: do :: x = 3 - x od }
