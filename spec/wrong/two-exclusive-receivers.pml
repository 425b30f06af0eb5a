chan c = [1] of { byte };
active proctype P() { xr c; c?_ }
active proctype Q() { xr c; c?_ } // error[E0204]: another proctype claims this channel for itself
active proctype R() { c!1 }
