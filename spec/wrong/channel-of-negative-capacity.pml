// SPIN accepts this, but no channel can hold less than nothing.
chan c = [-1] of { byte }; // error[E0302]: a channel cannot hold -1 messages
init { c!1; c?_ }
