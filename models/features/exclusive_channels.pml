// xr and xs: a promise about who uses a channel, which changes no step.
// expect: states 8 transitions 8
// expect: errors 0 atomic-steps 0
chan c = [1] of { byte };
active proctype S() { xs c; c!1; c!2 }
active proctype R() { xr c; byte v; c?v; c?v; assert(v == 2) }
