int x;
init {
  x = 1 x = 2 // error[E0004]: expected `;` or `->` before `x`
}
