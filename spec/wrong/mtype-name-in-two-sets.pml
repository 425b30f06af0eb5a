mtype = { red, green };
mtype:fruit = { apple, red }; // error[E0102]: mtype name `red` is declared twice
mtype light = red;
mtype:fruit f = apple;
init { light = green; f = apple }
