/* Suzuki and Kasami's mutual exclusion: a site asks all others for the token, which carries the number of the last request of each that was served.
   True: two sites may hand the token to each other for ever while the third does not look at their requests, so these pile up before it.

   expect: buffers VIOLATED
   expect: progress VIOLATED */
#define N 3
chan requests[N] = [N] of { byte, byte };
chan token[N] = [1] of { byte };
byte asked[9];
byte served[3];
bool have[N];

proctype Site(byte me) {
	byte j, s, w;
	do
	:: if
		:: have[me] -> skip
		:: else -> asked[me*N+me] = (asked[me*N+me] + 1) % 8;
			for (j : 0 .. N-1) { if :: j != me -> requests[j]!me, asked[me*N+me] :: else fi }
			token[me]?_; have[me] = true
		fi;
progress:	served[me] = asked[me*N+me]
	:: requests[me]?w, s -> asked[me*N+w] = s
	:: have[me] -> j = 0;
		do
		:: j < N ->
			if
			:: asked[me*N+j] == (served[j] + 1) % 8 -> have[me] = false; token[j]!1; break
			:: else -> j++
			fi
		:: else -> break
		od
	od
}

init { atomic { have[0] = true; byte i; for (i : 0 .. N-1) { run Site(i) } } }
