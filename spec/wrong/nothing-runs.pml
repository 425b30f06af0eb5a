proctype P() { skip } // error[E0130]: no process ever starts
