// SPIN accepts this: C is its own extension.
c_decl { int hidden_in_c; } // error[E0002]: embedded C (`c_decl`) is not supported
init {
  c_code { hidden_in_c++; }; // error[E0002]: embedded C (`c_code`) is not supported
  c_expr { hidden_in_c > 0 } // error[E0002]: embedded C (`c_expr`) is not supported
}
