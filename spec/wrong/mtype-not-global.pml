init {
  mtype = { red, green }; // error[E0105]: an mtype declaration must be global
  skip
}
