int a[3];
init {
  a[a[1]] = 2 // error[E0306]: an element whose index is another element of the same array cannot be assigned
}
