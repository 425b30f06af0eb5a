proctype P() { skip }
chan c = [1] of { byte };
init {
  c!run P(); // error[E0202]: `run` cannot be used in a send
  c?_
}
