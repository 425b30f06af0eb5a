/* Two processes add to each other's counters up to a limit, through local registers. Class: large counters. */
#ifndef MAX
#define MAX 150
#endif
int x = 1, y = 1;
active proctype P() { int r; do :: x < MAX -> r = x; r = r + y % 7 + 1; x = r; r = 0 :: x >= MAX -> x = 1 od }
active proctype Q() { int r; do :: y < MAX -> r = y; r = r + x % 5 + 1; y = r; r = 0 :: y >= MAX -> y = 1 od }
