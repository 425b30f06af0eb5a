/* A client that tries again at most three times; stale answers are thrown away by their number.

   expect: buffers PROVED
   expect: bound req 3
   expect: bound rep 3
   expect: progress PROVED
   expect: deadlock PROVED */
#define TRIES 3
chan req = [4] of { byte };
chan rep = [4] of { byte };

active proctype Client() {
	byte id = 0, tries, x;
	do
	:: tries = 0;
		do
		:: tries < TRIES -> req!id; tries++
		:: rep?x ->
			if
			:: x == id -> progress: break
			:: else
			fi
		od;
		do
		:: tries > 1 -> rep?_; tries--
		:: else -> break
		od;
		id = (id + 1) % 4
	od
}

active proctype Server() { byte x; do :: req?x -> rep!x od }
