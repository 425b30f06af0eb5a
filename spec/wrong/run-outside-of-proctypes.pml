byte x;
active proctype P() { x = 1 }
ltl p { <> (run P() > 0) } // error[E0202]: `run` can be used only in a proctype
