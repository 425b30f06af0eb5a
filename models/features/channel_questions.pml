// len, empty, nempty, full, nfull as conditions.
// expect: states 58 transitions 76
// expect: errors 2 atomic-steps 0
chan c = [2] of { bit }; byte seen;
active proctype P() { do :: nfull(c) -> c!1 :: full(c) -> seen = len(c); break od }
active proctype Q() { do :: nempty(c) -> c?1 :: empty(c) && seen == 2 -> break :: len(c) == 1 -> seen = seen | 4; break od }
