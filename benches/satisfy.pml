/* A formula in an array: variables are set in any order, every step counts which clauses are already false. Class: board. */
#ifndef VARS
#define VARS 9
#endif
#define CLAUSES 14
byte value[VARS];        /* 0 open, 1 false, 2 true */
byte literal[CLAUSES*3]; /* 2 * variable + sign */
byte falsified;
active proctype Solver() {
	byte v, i, k;
	d_step {
		for (i : 0 .. CLAUSES*3 - 1) { literal[i] = (i * 7 + (i / 3) * 5 + 3) % (2 * VARS) };
		i = 0
	}
	do
	:: atomic { select (v : 0 .. VARS-1);
		if
		:: value[v] == 0 ->
			if :: value[v] = 1 :: value[v] = 2 fi;
			d_step {
				falsified = 0;
				for (i : 0 .. CLAUSES - 1) {
					k = 0;
					if :: value[literal[3*i] / 2] + (literal[3*i] % 2) == 2 -> k++ :: else fi;
					if :: value[literal[3*i+1] / 2] + (literal[3*i+1] % 2) == 2 -> k++ :: else fi;
					if :: value[literal[3*i+2] / 2] + (literal[3*i+2] % 2) == 2 -> k++ :: else fi;
					if :: k == 3 -> falsified++ :: else fi
				}
				i = 0; k = 0
			}
		:: value[v] != 0 -> value[v] = 0
		fi;
		v = 0 }
	od
}
