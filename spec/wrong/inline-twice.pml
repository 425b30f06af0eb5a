inline f() { skip }
inline f() { true } // error[E0102]: inline `f` is declared twice
init { f() }
