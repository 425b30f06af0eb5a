init {
  do
  :: d_step { skip; break } // error[E0115]: `break` outside of a loop
  od
}
