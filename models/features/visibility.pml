// hidden, show and local; variables that nothing reads are not part of a state.
// expect: states 61 transitions 94
// expect: errors 0 atomic-steps 0
hidden byte h; show byte s; local byte l; byte unread;
active proctype P() { byte dead; do :: s < 2 -> s++; unread = s; dead = s; h = s :: s == 2 -> l = 1; break od; dead = l; l = dead }
active proctype Q() { s = 0 }
