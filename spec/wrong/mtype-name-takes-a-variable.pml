int red; // warning[W0102]: variable `red` is never used
mtype = { red, green }; // warning[W0108]: from here on `red` is an mtype name, no longer the variable
mtype light = green;
init { light = red }
