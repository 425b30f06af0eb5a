// The preprocessor: objects, functions, conditions, several lines, joining.
// expect: states 43 transitions 73
// expect: errors 0 atomic-steps 0
#define N 2
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define VAR(n) x ## n
#define STEP(n) \
  VAR(n) = MAX(VAR(n), N); \
  VAR(n)++
#if N > 1 && defined(MAX)
byte x1, x2;
#else
#error not reached
#endif
active [N] proctype P() { STEP(1); STEP(2); assert(x1 >= 3 && x2 >= 3) }
