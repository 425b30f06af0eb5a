/* A tree of processes: each starts two children until the depth is reached and adds up what they answer.

   expect: buffers PROVED */
proctype Tree(byte depth; chan up) {
	chan mine = [2] of { byte };
	byte a, b;
	if
	:: depth == 0 -> up!1
	:: else ->
		run Tree(depth - 1, mine);
		run Tree(depth - 1, mine);
		mine?a; mine?b;
		up!(a + b)
	fi
}

init {
	chan result = [1] of { byte };
	byte sum;
	run Tree(3, result);
	result?sum;
	assert(sum == 8)
}
