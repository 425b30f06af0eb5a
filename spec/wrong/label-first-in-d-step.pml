init {
  d_step { here: skip; skip }; // error[E0120]: label `here` is misplaced
  goto here // error[E0117]: a jump into a `d_step`
}
