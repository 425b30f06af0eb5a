/* A file transfer with open, blocks, close; the client may abort; the server counts blocks and answers each.

   expect: buffers PROVED
   expect: bound req 1
   expect: bound rep 1
   expect: progress VIOLATED
   expect: deadlock PROVED */
mtype = { open, block, close, abort, ok, fail };
chan req = [2] of { mtype, int };
chan rep = [2] of { mtype, int };

active proctype Client() {
	int pos, n;
	do
	:: req!open(0);
		if
		:: rep?ok(n) ->
			pos = 0;
			do
			:: pos < n -> req!block(pos); rep?ok(_); pos++
			:: pos >= n -> req!close(pos); rep?ok(_); break
			:: pos < n -> req!abort(pos); rep?ok(_); break
			od;
progress:		skip
		:: rep?fail(_)
		fi
	od
}

active proctype Server() {
	int n;
	do
	:: req?open(n) ->
		if
		:: rep!ok(100)
		:: rep!fail(0)
		fi
	:: req?block(n) -> rep!ok(n)
	:: req?close(n) -> rep!ok(n)
	:: req?abort(n) -> rep!ok(n)
	od
}
