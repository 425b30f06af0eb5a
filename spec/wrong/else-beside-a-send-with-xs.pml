chan c = [1] of { byte };
init {
  xs c;
  if
  :: c!1
  :: else // error[E0119]: `else` beside a send or receive cannot be combined with `xr` and `xs`
  fi;
  c?_
}
