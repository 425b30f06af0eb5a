/* Planning: P parcels, C cities, two trucks; a parcel lies in a city or in a truck. Class: board. */
#ifndef P
#define P 5
#endif
#define C 5
byte parcel[P];     /* 0 .. C-1 a city, C .. C+1 a truck */
byte truck[2];
active [2] proctype Truck() {
	byte p, me = _pid;
	do
	:: atomic { select (p : 0 .. C-1); truck[me] = p; p = 0 }
	:: atomic { select (p : 0 .. P-1);
		if
		:: parcel[p] == truck[me] -> parcel[p] = C + me
		:: parcel[p] == C + me -> parcel[p] = truck[me]
		:: else -> skip
		fi; p = 0 }
	od
}
