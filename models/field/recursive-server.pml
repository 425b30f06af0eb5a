/* A server that starts a helper for each request and hands it the client's own channel.

   expect: buffers PROVED
   expect: bound server 2 */
#define CLIENTS 2
chan server = [2] of { chan };

proctype Helper(chan reply) { reply!1 }

active proctype Server() {
	chan r;
end:	do
	:: server?r -> run Helper(r)
	od
}

active [CLIENTS] proctype Client() {
	chan me = [1] of { byte };
	byte x;
	do
	:: server!me; me?x
	od
}
