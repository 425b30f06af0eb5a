chan c = [1] of { byte };
init {
  if
  :: full(c) == false -> c!1 // error[E0005]: `full`, `empty`, `nfull` and `nempty` can only be combined with `&&` and `||`
  :: full(c) -> c?_
  fi
}
