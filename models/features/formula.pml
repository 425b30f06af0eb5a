// An ltl formula; the graph is that of the model without it.
// expect: states 6 transitions 7
// expect: errors 0 atomic-steps 0
byte x;
ltl wraps { [] <> (x == 0) }
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
