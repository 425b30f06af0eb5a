int here;
init {
here: // error[E0104]: `here` is a variable, not a label
  skip;
  goto here
}
