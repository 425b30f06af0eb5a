// len, empty, nempty, full, nfull as conditions.
chan c = [2] of { bit }; byte seen;
active proctype P() { do :: nfull(c) -> c!1 :: full(c) -> seen = len(c); break od }
active proctype Q() { do :: nempty(c) -> c?1 :: empty(c) && seen == 2 -> break :: len(c) == 1 -> seen = seen | 4; break od }
