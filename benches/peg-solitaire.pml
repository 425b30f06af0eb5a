/* Peg solitaire on a triangle of five rows: every possible jump is tried by a loop over positions. Class: board. */
#ifndef SIDE
#define SIDE 5
#endif
bit hole[SIDE*SIDE];
#define IN(r, c) ((c) <= (r) && (r) < SIDE)
byte pegs;
active proctype Player() {
	byte r, c;
	d_step {
		for (r : 0 .. SIDE-1) { for (c : 0 .. SIDE-1) { if :: c <= r -> hole[r*SIDE + c] = 1; pegs++ :: else fi } };
		hole[2*SIDE + 1] = 0; pegs--; r = 0; c = 0
	}
	do
	:: atomic { select (r : 0 .. SIDE-1); select (c : 0 .. SIDE-1);
		if
		:: c + 2 < SIDE && IN(r, c+2) && hole[r*SIDE+c] && hole[r*SIDE+c+1] && !hole[r*SIDE+c+2] ->
			hole[r*SIDE+c] = 0; hole[r*SIDE+c+1] = 0; hole[r*SIDE+c+2] = 1; pegs--
		:: c >= 2 && c <= r && hole[r*SIDE+c] && hole[r*SIDE+c-1] && !hole[r*SIDE+c-2] ->
			hole[r*SIDE+c] = 0; hole[r*SIDE+c-1] = 0; hole[r*SIDE+c-2] = 1; pegs--
		:: r + 2 < SIDE && c <= r && hole[r*SIDE+c] && hole[(r+1)*SIDE+c] && !hole[(r+2)*SIDE+c] ->
			hole[r*SIDE+c] = 0; hole[(r+1)*SIDE+c] = 0; hole[(r+2)*SIDE+c] = 1; pegs--
		:: r >= 2 && c <= r-2 && hole[r*SIDE+c] && hole[(r-1)*SIDE+c] && !hole[(r-2)*SIDE+c] ->
			hole[r*SIDE+c] = 0; hole[(r-1)*SIDE+c] = 0; hole[(r-2)*SIDE+c] = 1; pegs--
		:: r + 2 < SIDE && c <= r && hole[r*SIDE+c] && hole[(r+1)*SIDE+c+1] && !hole[(r+2)*SIDE+c+2] ->
			hole[r*SIDE+c] = 0; hole[(r+1)*SIDE+c+1] = 0; hole[(r+2)*SIDE+c+2] = 1; pegs--
		:: r >= 2 && c >= 2 && c <= r && hole[r*SIDE+c] && hole[(r-1)*SIDE+c-1] && !hole[(r-2)*SIDE+c-2] ->
			hole[r*SIDE+c] = 0; hole[(r-1)*SIDE+c-1] = 0; hole[(r-2)*SIDE+c-2] = 1; pegs--
		:: else -> skip
		fi;
		r = 0; c = 0 }
	od
}
