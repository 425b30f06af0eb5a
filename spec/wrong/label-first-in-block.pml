init {
  { here: skip; skip }; // error[E0120]: label `here` is misplaced
  goto here
}
