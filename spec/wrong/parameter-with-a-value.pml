proctype P(int a = 3) { a++ } // error[E0122]: a parameter cannot have an initial value
init { run P(1) }
