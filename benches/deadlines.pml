/* Tasks with deadlines in absolute time, each of which may be due one tick later than its period says. Class: large counters. */
#ifndef HORIZON
#define HORIZON 2000
#endif
int now;
int due[3];
inline again(id, period) {
	do
	:: atomic { now == due[id] && now < HORIZON -> due[id] = now + period }
	:: atomic { now == due[id] && now < HORIZON -> due[id] = now + period + 1 }
	od
}
active proctype Short() { again(0, 3) }
active proctype Middle() { again(1, 5) }
active proctype Long() { again(2, 7) }
active proctype Clock() {
	do
	:: atomic { now < due[0] && now < due[1] && now < due[2] && now < HORIZON -> now++ }
	od
}
