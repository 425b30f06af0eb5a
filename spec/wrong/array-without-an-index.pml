int a[3];
init {
  a = 1; // error[E0107]: the array `a` needs an index
  a[0] = a[1]
}
