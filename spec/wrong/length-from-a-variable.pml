byte n = 3;
int a[n]; // warning[W0302]: the length of `a` is the initial value of `n`, 3
init { a[0] = n }
