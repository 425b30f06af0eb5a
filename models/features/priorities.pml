// Priorities: only the highest that can move do; they can be read and changed.
// expect: states 63 transitions 102
// expect: errors 1 atomic-steps 0
byte x; bool go;
active proctype Low() priority 1 { x = 1; go = true; x = x + 1; assert(get_priority(_pid) == 1) }
active proctype High() priority 5 { go -> x = 10; set_priority(_pid, 1); x = x + 1; x = x + 1 }
active proctype Same() priority 1 { x == 11 -> x = 20 }
