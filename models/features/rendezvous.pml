// Handshakes: two processes at once; matched by constants and eval; several possible partners.
// expect: states 23 transitions 26
// expect: errors 0 atomic-steps 0
chan c = [0] of { byte, byte }; chan d = [0] of { bit }; byte sum;
active [2] proctype Sender() { c!_pid,1; if :: d!1 :: d!0 fi }
active proctype Receiver() { byte v; c?v,1; sum = sum + v; d?1; c?eval(1 - v),1; if :: d?0 -> sum = 9 :: d?_ fi }
