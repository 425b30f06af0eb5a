chan c = [1] of { byte };
init {
  !full(c) -> c!1; // error[E0005]: `full`, `empty`, `nfull` and `nempty` can only be combined with `&&` and `||`
  c?_
}
