unsigned u; // error[E0303]: unsigned `u` needs a width
init { u = 1 }
