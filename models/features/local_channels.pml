// A channel lives as long as the process that made it; its number is used again.
// expect: states 88 transitions 139
// expect: errors 0 atomic-steps 0
chan back = [2] of { byte };
proctype Worker(byte n) { chan own = [1] of { byte }; byte v; own!n; own?v; back!v }
init { byte a, b; run Worker(1); run Worker(2); back?a; back?b; run Worker(3); back?a; (_nr_pr == 1); assert(a == 3) }
