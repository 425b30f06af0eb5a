byte x;
init {
  do
  :: x++
  od;
  x = 1; // warning[W0130]: this statement can never be reached
  goto done;
  x = 2; // warning[W0130]: this statement can never be reached
done:
  skip
}
