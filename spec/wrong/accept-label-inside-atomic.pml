byte x, y;
init {
  do
  :: atomic {
      x = 1;
      accept: // warning[W0135]: label `accept` inside of `atomic` is not seen
      x = 0;
      y = 1
    }
  od
}
