int a[3];
init {
  a[3] = 1; // warning[W0301]: index 3 is outside of `a`, which has the length 3
  a[2] = a[0]
}
