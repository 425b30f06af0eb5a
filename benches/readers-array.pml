/* A table of versions: writers bump an entry, readers copy the whole table in one d_step and compare later. Class: array. */
#ifndef K
#define K 3
#endif
#define V 3
byte table[K];
proctype Writer() { byte k; do :: atomic { select (k : 0 .. K-1); table[k] = (table[k] + 1) % V; k = 0 } od }
proctype Reader() {
	byte copy[K]; byte i; bit stale;
	do
	:: d_step { for (i : 0 .. K-1) { copy[i] = table[i] }; i = 0; stale = 0 }
	:: d_step { !stale -> for (i : 0 .. K-1) { if :: copy[i] != table[i] -> stale = 1 :: else fi }; i = 0 }
	od
}
init { atomic { run Writer(); run Reader(); run Reader() } }
