/* Sliding tiles on a board of W by H: one process, every move reads the board through a computed index. Class: board. */
#ifndef W
#define W 3
#endif
#ifndef H
#define H 3
#endif
byte board[W*H];
byte hole = 0;
active proctype Player() {
	byte i;
	d_step { for (i : 0 .. W*H-1) { board[i] = i }; i = 0 }
	do
	:: atomic { hole % W > 0     -> board[hole] = board[hole-1]; hole = hole - 1; board[hole] = 0 }
	:: atomic { hole % W < W - 1 -> board[hole] = board[hole+1]; hole = hole + 1; board[hole] = 0 }
	:: atomic { hole >= W        -> board[hole] = board[hole-W]; hole = hole - W; board[hole] = 0 }
	:: atomic { hole < W*(H-1)   -> board[hole] = board[hole+W]; hole = hole + W; board[hole] = 0 }
	od
}
