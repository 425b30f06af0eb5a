byte x;
init {
  x = ; // error[E0001]: expected an expression, found `;`
  y = 1; // error[E0101]: `y` is not declared
  if
  :: x == 1 -> z = 2 // error[E0101]: `z` is not declared
  :: else -> goto nowhere // error[E0113]: there is no label `nowhere`
  fi;
  x = (1 + ; // error[E0001]: expected an expression, found `;`
  x = 2
}
