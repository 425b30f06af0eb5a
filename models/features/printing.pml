// printf and printm are steps that change nothing.
// expect: states 31 transitions 45
// expect: errors 1 atomic-steps 0
mtype = { hello }; byte x = 65; mtype m = hello;
active proctype P() { printf("%d %u %x %o %c %e %%\n", x, x, x, x, x, m); printm(m); x++; printf("no values\n") }
active proctype Q() { x == 65 -> printf("%d\n", x); x = 1 }
