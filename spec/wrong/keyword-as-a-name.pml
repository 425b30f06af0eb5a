int do; // error[E0001]: expected the variable's name, but `do` is a word of the language
init { skip }
