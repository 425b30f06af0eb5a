byte x, y;
init {
  if
  :: x = 1 -> y = 2
  :: else -> y = 3 // warning[W0138]: this `else` is never taken
  fi;
  assert(x + y > 0)
}
