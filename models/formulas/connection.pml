/* Open, use, close.
   For any capacity:
     closed: holds
     opened: holds
     used: holds
 */
mtype = { syn, ack, data, fin };
chan there = [2] of { mtype };
chan back = [2] of { mtype };
active proctype Client() {
  do
  :: there!syn; opening: back?ack; there!data; using: back?ack; there!fin; closing: back?fin
  od
}
active proctype Server() {
  do
  :: there?syn; back!ack :: there?data; serving: back!ack :: there?fin; back!fin
  od
}
ltl closed { [] (Client@opening -> <> Client@closing) }
ltl opened { !Server@serving W Client@opening }
ltl used { [] <> Client@using }
