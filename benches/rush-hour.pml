/* Rush hour: cars of two or three cells on a board of 6 by 6; one process for each car, each looks at the cells before and behind. Class: board. */
#define S 6
bit taken[S*S];
proctype Car(byte place; byte step; byte length) {
	byte end = place + step * (length - 1);
	do
	:: atomic { (step == 1 -> place % S > 0 : place >= S) && !taken[place - step] ->
		taken[place - step] = 1; taken[end] = 0; place = place - step; end = end - step }
	:: atomic { (step == 1 -> end % S < S - 1 : end < S*(S-1)) && !taken[end + step] ->
		taken[end + step] = 1; taken[place] = 0; place = place + step; end = end + step }
	od
}
inline put(place, step, length) {
	taken[place] = 1; taken[place + step] = 1; taken[place + step * (length - 1)] = 1;
	run Car(place, step, length)
}
init {
	atomic {
		put(13, 1, 2); put(0, 1, 2); put(5, 6, 3); put(6, 6, 3); put(9, 6, 3);
		put(24, 6, 2); put(28, 1, 2); put(32, 1, 3)
	}
}
