active [65536] proctype P() { skip } // error[E0302]: there can be at most 65535 processes
