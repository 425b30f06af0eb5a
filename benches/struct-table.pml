/* A table of records that is too long to be taken apart: every change makes another value of all of it. Class: arrays. */
#ifndef HITS
#define HITS 20
#endif
typedef Entry { byte key; short hits; int sum };
Entry table[24];
active [4] proctype User() {
	do
	:: d_step {
		table[5 * _pid].hits < HITS ->
		table[5 * _pid].key = _pid + 1;
		table[5 * _pid].hits++;
		table[5 * _pid].sum = table[5 * _pid].sum + table[5 * _pid].hits * (_pid + 1)
	}
	od
}
