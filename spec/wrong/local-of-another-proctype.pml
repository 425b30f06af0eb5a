active proctype P() { int own = 1; own++ }
active proctype Q() {
  own = 2 // error[E0101]: `own` is not declared
}
