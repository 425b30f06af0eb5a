chan c = [1] of { byte };
init {
  c!1,2; // error[E0216]: send of 2 values on a channel whose messages have 1 field
  c?_
}
