byte c;
chan d = [1] of { byte };
init {
  c!1; // error[E0215]: `c` is not a channel
  d!1; d?_
}
