init {
} // error[E0001]: expected a statement, found `}`
