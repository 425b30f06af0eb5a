init {
  skip;
  chan c = [1] of { byte }; // error[E0124]: a channel can be created only before the first statement
  c!1
}
