/* Sokoban: a warehouse of 8 by 7 in an array, three boxes; the person walks and pushes. Class: board. */
#define W 8
#define SIZE 56
#define EMPTY 0
#define WALL 1
#define BOX 2
byte field[SIZE];
byte at = 10;
active proctype Person() {
	short d;
	byte i;
	d_step {
		for (i : 0 .. SIZE-1) {
			if
			:: i < W || i >= SIZE - W || i % W == 0 || i % W == W-1 -> field[i] = WALL
			:: else -> skip
			fi
		}
		field[20] = WALL; field[36] = WALL;
		field[18] = BOX; field[27] = BOX; field[34] = BOX;
		i = 0
	}
	do
	:: d_step {
		if :: d = 1 :: d = -1 :: d = W :: d = -W fi;
		if
		:: field[at + d] == EMPTY -> at = at + d
		:: field[at + d] == BOX && field[at + d + d] == EMPTY ->
			field[at + d] = EMPTY; field[at + d + d] = BOX; at = at + d
		:: else -> skip
		fi;
		d = 0
	   }
	:: atomic { field[at - 1] == EMPTY -> at = at - 1 }
	:: atomic { field[at + W] == EMPTY -> at = at + W }
	:: atomic { field[at - W] == EMPTY -> at = at - W }
	:: atomic { field[at + W] == BOX && field[at + 2*W] == EMPTY -> field[at + W] = EMPTY; field[at + 2*W] = BOX; at = at + W }
	:: atomic { field[at - W] == BOX && field[at - 2*W] == EMPTY -> field[at - W] = EMPTY; field[at - 2*W] = BOX; at = at - W }
	:: atomic { field[at - 1] == BOX && field[at - 2] == EMPTY -> field[at - 1] = EMPTY; field[at - 2] = BOX; at = at - 1 }
	od
}
