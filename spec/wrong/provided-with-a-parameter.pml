proctype P(byte x) provided (x > 0) { x-- } // error[E0207]: a `provided` clause can use only global variables, `_pid` and `_priority`
init { run P(1) }
