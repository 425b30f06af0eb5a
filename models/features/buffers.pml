// Buffered channels: a full one blocks the sender, an empty one the receiver.
// expect: states 116 transitions 195
// expect: errors 2 atomic-steps 0
chan c = [2] of { byte, bit }; chan ack = [1] of { bit }; byte got;
active proctype Sender() { byte i; do :: i < 3 -> c!i,i; i++; if :: ack?0 :: ack?1 :: nfull(c) fi :: else -> break od }
active proctype Receiver() { byte v; bit b; end: do :: c?v,b -> got = v; ack!b od }
