// if, do, else, break, goto, labels, nested choices, jumps in and out of blocks.
// expect: states 20 transitions 22
// expect: errors 0 atomic-steps 0
byte n; bool up = true;
active proctype P() {
again: do
  :: up && n < 3 -> n++
  :: !up && n > 0 -> if :: n == 2 -> goto down :: else fi; n--
  :: n == 3 -> up = false
  :: n == 0 && !up -> break
  od;
  goto done;
down: n = n - 2; if :: n == 0 -> goto again :: goto done fi;
done: skip
}
