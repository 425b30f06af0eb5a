mtype = { red, green };
int red; // error[E0001]: expected the variable's name, but `red` is an mtype name
mtype light = red;
init { light = green }
