init {
  goto agian; // error[E0113]: there is no label `agian`
again:
  skip;
  goto again
}
