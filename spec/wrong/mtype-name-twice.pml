mtype = { red, green, red }; // error[E0102]: mtype name `red` is declared twice
mtype light = red;
init { light = green }
