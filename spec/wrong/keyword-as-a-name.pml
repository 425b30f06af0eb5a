int do; // error[E0001]: expected the variable's name, found `do`
init { skip }
