init {
  byte i;
  for (i : 3 .. 1) { skip }; // error[E0301]: empty range 3 .. 1
  select (i : 5 .. 2) // error[E0301]: empty range 5 .. 2
}
