typedef T {
  int a;
  T next // error[E0001]: expected a type, found `T`
};
init { skip }
