// Local variables that nothing reads any more are reset, so that states meet.
// expect: states 20 transitions 23
// expect: errors 0 atomic-steps 0
chan c = [1] of { byte };
active proctype P() { byte x, y; if :: x = 1 :: x = 2 fi; (x > 0); c!5; if :: c?y :: c?x; y = x fi; y = 0; if :: y == 0 -> x = 7 :: else fi; c!x }
