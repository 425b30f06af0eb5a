byte x;
init {
  if (x < 3) { // error[E0001]: expected `::` and an option, found `(`
    x++
  } else {
    x--
  };
  x = 1
}
