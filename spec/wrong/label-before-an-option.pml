byte x;
init {
  do
  :: here: x++ // warning[W0120]: label `here` at the beginning of an option
  :: x > 3 -> break
  od;
  goto here
}
