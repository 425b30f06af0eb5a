byte x;
init {
  while (x < 3) { // error[E0101]: `while` is not declared // error[E0004]: expected `;` or `->` before `(`
    x++
  }
}
