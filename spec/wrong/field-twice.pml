typedef T {
  int a;
  byte a // error[E0102]: `a` is declared twice
};
T t;
init { t.a = 1 }
