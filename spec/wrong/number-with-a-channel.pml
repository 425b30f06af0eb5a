int a = [1] of { byte }; // error[E0126]: `a` is not a channel
init { a = 1 }
