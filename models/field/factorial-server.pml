/* Recursion by messages: a process for each level, the result comes back through the channel that was handed down.

   expect: buffers PROVED
   expect: deadlock PROVED
   expect: assertions PROVED */
proctype fact(int n; chan p) {
	chan child = [1] of { int };
	int result;
	if
	:: n <= 1 -> p!1
	:: n >= 2 -> run fact(n - 1, child); child?result; p!(n * result)
	fi
}

init {
	chan c = [1] of { int };
	int r;
	run fact(6, c);
	c?r;
	assert(r == 720)
}
