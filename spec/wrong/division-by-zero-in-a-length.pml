int a[4 / 0]; // error[E0304]: division by zero in a constant
init { skip }
