/* An elevator with a request queue: a button lights up when it is pressed and cannot be pressed again until the car was there.

   expect: buffers PROVED
   expect: bound requests 3
   expect: progress PROVED
   expect: deadlock PROVED */
#define F 3
chan requests = [F] of { byte };
bool lit[F];
byte floor = 0;
bool open = false;

active [F] proctype Button() {
	do
	:: atomic { !lit[_pid] -> lit[_pid] = true }; requests!_pid
	od
}

active proctype Car() {
	byte to;
	do
	:: requests?to ->
		do
		:: floor < to -> floor++
		:: floor > to -> floor--
		:: floor == to -> break
		od;
		open = true;
progress:	lit[to] = false;
		open = false
	od
}
