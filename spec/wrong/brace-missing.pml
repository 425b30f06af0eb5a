active proctype P() {
  skip

active proctype Q() { skip } // error[E0001]: expected `}`, found `active`
