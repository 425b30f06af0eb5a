chan c = [1] of { byte };
chan d[2] = [1] of { byte };
byte x;
active proctype P() {
	xr c; // warning[W0137]: `xr` is broken: `Q` receives from `c` too
	xs d[0];
	do :: c?x; d[0]!x od
}
active proctype Q() {
	xs c;
	c!1;
	d[1]!1;
	do :: c?x; d[0]?x :: d[1]?x od
}
