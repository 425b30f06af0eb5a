chan c = [1] of { byte };
init { c!1; c?_ }
never {
  c!1 // error[E0205]: a never claim cannot send or receive
}
