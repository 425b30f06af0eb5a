// unless: escapes come first, inner before outer; an escape inside a loop; a rendezvous as escape.
// expect: states 41 transitions 59
// expect: errors 0 atomic-steps 5
byte x; bool stop; chan alarm = [0] of { bit };
active proctype P() {
  { do :: x < 4 -> x++ :: x == 4 -> x = 0 od } unless { stop -> x = 10 };
  { { x = 11; x = 12 } unless { x == 11 -> x = 13 } } unless { alarm?1 -> x = 20 };
  atomic { x = 21; x = 22 } unless { x == 99 }
}
active proctype Q() { stop = true; if :: alarm!1 :: x > 12 fi }
