init {
here:
  skip;
here: // error[E0103]: label `here` is declared twice
  skip;
  goto here
}
