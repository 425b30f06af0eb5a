byte x;
active proctype P() { x == 1 }
never { x = 1; do :: x < 2 od } // warning[W0136]: the never claim assigns to `x`
