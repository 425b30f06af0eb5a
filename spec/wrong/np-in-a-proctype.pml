init {
  np_ // error[E0203]: `np_` can be used only in a never claim
}
