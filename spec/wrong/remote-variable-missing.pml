// SPIN accepts this, but its verifier does not compile.
active proctype P() { int own; own++ }
active proctype Q() {
  P:onw == 1 // error[E0101]: there is no variable `onw` in this proctype
}
