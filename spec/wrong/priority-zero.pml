active proctype P() priority 0 { skip } // error[E0302]: a priority is from 1 to 255
