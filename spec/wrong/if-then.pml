byte x, y;
init {
  if (x == 1) then x = 2 fi; // error[E0001]: expected `::` and an option, found `(`
  y = 3
}
