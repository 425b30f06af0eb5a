byte x;
init {
  if (x < 3) { // error[E0001]: expected `::` and an option, found `(`
    x++;
    y = 1 // error[E0101]: `y` is not declared
  } else if (x > 7)
  {
    x = (x +; x++ // error[E0001]: expected an expression, found `;`
  }
  else {
    z-- // error[E0101]: `z` is not declared
  };
  x = 1
}
