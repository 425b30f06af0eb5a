init {
here:
  goto here // error[E0116]: this `goto` leads only to itself
}
