active [256] proctype P() { skip } // error[E0302]: there can be at most 255 processes
