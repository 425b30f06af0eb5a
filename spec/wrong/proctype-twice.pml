active proctype P() { skip }
active proctype P() { skip } // error[E0102]: proctype `P` is declared twice
