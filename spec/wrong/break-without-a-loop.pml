init {
  if
  :: break // error[E0115]: `break` outside of a loop
  :: skip
  fi
}
