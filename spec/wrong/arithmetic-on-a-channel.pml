chan a = [1] of { byte };
chan b;
init {
  b = a + 1; // error[E0212]: a channel cannot be part of a larger expression in an assignment
  a++; // error[E0212]: arithmetic on a channel
  b!1; a?_
}
