byte x;
init {
  if
  :: else -> skip
  :: x > 0
  :: else -> x = 1 // error[E0118]: there is already an `else` among these options
  fi
}
