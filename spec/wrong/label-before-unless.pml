init {
  here: skip unless { timeout }; // error[E0120]: a label cannot stand before `statement unless …`
  goto here
}
