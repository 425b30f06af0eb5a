// Channels in arrays, as parameters, as fields of messages, assigned, and never initialised.
// expect: states 57 transitions 86
// expect: errors 0 atomic-steps 2
chan q[2] = [1] of { byte }; chan service = [1] of { chan, byte }; chan alias;
proctype Client(chan reply; byte me) { byte v; service!reply,me; reply?v; assert(v == me + 1) }
active proctype Server() { chan to; byte v; end: do :: service?to,v -> to!v + 1 od }
init { atomic { alias = q[1]; run Client(q[0], 3); run Client(alias, 5) } }
