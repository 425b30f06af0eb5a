hidden bit b; // error[E0125]: the bit `b` cannot be hidden
init { b = 1 }
