byte x;
init { skip }
trace {
  x = 1 // error[E0206]: a trace can contain only sends, receives, `if`, `do`, `goto` and `break`
}
