proctype P(int a[3]) { a[0]++ } // error[E0123]: an array cannot be a parameter
init { skip }
