byte x;
init {
  x = 1;
  else; // warning[W0131]: `else` is not the first statement of an option
  x = 2
}
