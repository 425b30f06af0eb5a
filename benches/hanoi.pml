/* Towers of Hanoi with N discs: the three pegs are arrays with a height each; a move compares the topmost discs. Class: board. */
#ifndef N
#define N 11
#endif
byte peg[3*N];
byte height[3];
inline move(a, b) {
	atomic {
		height[a] > 0 && (height[b] == 0 || peg[b*N + height[b] - 1] > peg[a*N + height[a] - 1]) ->
		peg[b*N + height[b]] = peg[a*N + height[a] - 1];
		height[b]++;
		height[a]--;
		peg[a*N + height[a]] = 0
	}
}
active proctype Monk() {
	byte i;
	d_step { for (i : 0 .. N-1) { peg[i] = N - i }; height[0] = N; i = 0 }
	do
	:: move(0, 1) :: move(0, 2) :: move(1, 0) :: move(1, 2) :: move(2, 0) :: move(2, 1)
	od
}
