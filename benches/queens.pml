/* N queens: a column is chosen for each row, and compared with all rows above it. Class: board. */
#ifndef N
#define N 9
#endif
byte column[N];
byte row = 0;
active proctype Search() {
	byte c, r;
	do
	:: row < N ->
		select (c : 0 .. N-1);
		r = 0;
		do
		:: r < row && column[r] != c && column[r] + row - r != c && c + row - r != column[r] -> r++
		:: r < row && (column[r] == c || column[r] + row - r == c || c + row - r == column[r]) -> goto done
		:: r == row -> break
		od;
		column[row] = c; row++; c = 0; r = 0
	:: row == N -> break
	od;
done:	skip
}
