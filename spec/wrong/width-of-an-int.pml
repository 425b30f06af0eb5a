int x : 3; // error[E0303]: only an unsigned has a width
init { x = 1 }
