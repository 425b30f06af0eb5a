chan c = [1] of { byte };
init { c!1; c?_ }
ltl p { [] (full(c)) } // error[E0005]: `full`, `empty`, `nfull` and `nempty` can only be combined with `&&` and `||`
