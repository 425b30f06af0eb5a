// Several instances that start by themselves, with and without init; D_proctype.
// expect: states 115 transitions 239
// expect: errors 2 atomic-steps 0
byte n, order;
active [2] proctype P() { n++; order = order * 4 + _pid }
D_proctype D(byte k) { n = n + k }
active [1] proctype Q() { n == 2 -> run D(3) }
init { n > 1 -> n++ }
