byte m = 3;
typedef T {
  byte n = m; // error[E0305]: the field `n` has no constant initial value
  byte k = 3 + 4
};
T t;
init { m = 4; t.n = m; t.k = t.n }
