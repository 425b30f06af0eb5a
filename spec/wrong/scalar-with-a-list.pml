int a = { 1, 2 }; // error[E0126]: `a` is not an array
init { a = 1 }
