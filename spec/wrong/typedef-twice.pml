typedef T { int a };
typedef T { int a }; // error[E0102]: typedef `T` is declared twice
T t;
init { t.a = 1 }
