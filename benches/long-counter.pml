/* A counter that goes far, and somebody who looks at it now and then. Class: large counters. */
#ifndef MAX
#define MAX 60000
#endif
int count;
active proctype Tick() { do :: count < MAX -> count++ :: count >= MAX -> count = 0 od }
active proctype Look() { byte seen; do :: count % 5 != seen -> seen = count % 5 od }
