// An ltl formula; the graph is that of the model without it.
byte x;
ltl wraps { [] <> (x == 0) }
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
