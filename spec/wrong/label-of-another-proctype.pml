active proctype P() {
there:
  skip;
  goto there
}
active proctype Q() {
  goto there // error[E0113]: there is no label `there`
}
