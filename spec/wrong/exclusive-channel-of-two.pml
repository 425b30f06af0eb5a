chan c = [1] of { byte };
chan d = [1] of { byte };
byte x;
active proctype P() {
	xr c; // warning[W0137]: `xr` is broken: `Q` receives from `c` too
	xs d;
	do :: c?x; d!x od
}
active proctype Q() {
	xs c;
	c!1;
	do :: c?x; d?x od
}
