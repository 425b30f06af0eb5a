init {
  _pid = 3 // error[E0106]: `_pid` is predefined and cannot be assigned
}
