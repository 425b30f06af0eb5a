int P;
active proctype P() { skip } // error[E0102]: `P` is already a variable
init { P = 1 } // error[E0001]: expected `@` and a label, or `:` and a variable, found `=`
