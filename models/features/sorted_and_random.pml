// Sorted send, random receive, copying receive, polls, eval, and the field that is thrown away.
// expect: states 96 transitions 129
// expect: errors 3 atomic-steps 0
chan c = [3] of { byte, byte }; byte x, y;
active proctype P() {
  c!!3,1; c!!1,2; c!!2,0; c!!1,1;
  x = 9
}
active proctype Q() {
  len(c) == 3 -> assert(c?[1,2] || c?[2,_] || c?[3,_]);
  c??2,y; assert(y == 0);
  if :: c?<x,y> -> assert(c?[eval(x),eval(y)]) :: c??[3,1] -> c??3,_ fi;
  c?_,y; do :: c?x,_ :: empty(c) -> break od
}
