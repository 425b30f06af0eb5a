proctype P(int a[3]) { a[0]++ } // error[E0123]: an array cannot be a parameter // error[E0127]: `a` is not an array
init { skip }
