active proctype P() { here: skip; goto here }
active proctype Q() {
  P@there // error[E0113]: there is no label `there` in this proctype
}
