// SPIN accepts this and checks something without meaning.
int x;
init { x = 1 }
ltl p { [] x == 0 } // error[E0401]: a temporal operator inside of an expression
