init {
  if
  :: int x; x = 1
  :: int x; x = 2 // error[E0102]: `x` is declared twice
  fi
}
