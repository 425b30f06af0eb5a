int a[2] = { 1, 2, 3 }; // warning[W0303]: 3 values for the 2 elements of `a`
init { a[0] = 1 }
