int x;
init { x = 1 }
ltl p { [] (x < 2) }
ltl p { <> (x == 1) } // error[E0102]: formula `p` is declared twice
