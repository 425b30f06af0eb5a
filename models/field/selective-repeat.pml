/* Selective repeat: each frame of the window has a timer of its own that only rings when nothing else happens.

   expect: buffers PROVED
   expect: bound frames 3
   expect: bound acks 3
   expect: progress VIOLATED
   expect: deadlock PROVED */
#define W 3
chan frames = [W] of { byte };
chan acks = [W] of { byte };

active proctype Sender() {
	bool waiting[W];
	byte i = 0, a;
	do
	:: !waiting[i] -> waiting[i] = true; frames!i; i = (i + 1) % W
	:: acks?a -> waiting[a] = false
	:: timeout ->
		a = 0;
		do
		:: a < W && waiting[a] -> frames!a; break
		:: a < W && !waiting[a] -> a++
		:: a >= W -> break
		od
	od
}

active proctype Link_and_receiver() {
	byte f;
	do
	:: frames?f;
		if
		:: progress: acks!f
		:: skip
		fi
	od
}
