int a[0]; // error[E0302]: array `a` has the length 0
init {
  a[0] = 1
}
