chan c = [1] of { byte };
init {
  if
  :: c!1
  :: else // warning[W0133]: `else` beside a send or receive
  fi;
  c?_
}
