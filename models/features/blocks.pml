// Declarations in the middle and in inner blocks; scopes.
// expect: states 58 transitions 79
// expect: errors 1 atomic-steps 0
byte g;
active proctype P() {
  byte a = 1; g = a;
  { byte b = 5; g = b; byte c; c = g; g = c + b };
  byte late = 3; g = late + a;
  if :: g == 4 -> byte inner = 2; g = inner :: else fi;
  { byte b; g = g + b }
}
active proctype Q() { g == 10 -> g = 0 }
