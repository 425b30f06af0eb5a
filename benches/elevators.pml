/* Two elevators serve requests on F floors; requests are an array that both read. Class: elevators. */
#ifndef F
#define F 6
#endif
bit wanted[F];
byte floor[2];
active proctype People() {
	byte f;
	do :: atomic { select (f : 0 .. F-1); !wanted[f]; wanted[f] = 1; f = 0 } od
}
proctype Elevator(byte me) {
	bit up = 1, open;
	do
	:: !open && wanted[floor[me]] -> atomic { open = 1; wanted[floor[me]] = 0 }
	:: open -> open = 0
	:: !open && up && floor[me] < F-1 -> floor[me]++
	:: !open && up && floor[me] == F-1 -> up = 0
	:: !open && !up && floor[me] > 0 -> floor[me]--
	:: !open && !up && floor[me] == 0 -> up = 1
	od
}
init { atomic { run Elevator(0); run Elevator(1) } }
