typedef T { int a };
T t = 3; // warning[W0306]: the initial value of the struct `t` is ignored
init { t.a = 1 }
