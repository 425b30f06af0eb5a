chan c = [2] of { byte };
byte x;
init {
  c!1;
  for (x in c) { skip } // error[E0214]: a loop over a channel needs a struct to receive into
}
