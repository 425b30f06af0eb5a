chan c = [2] of { byte };
active [2] proctype P() {
	xr c; // warning[W0137]: `xr` is broken: several processes of `P` have `c`
	c?_
}
active proctype Q() {
	xs c;
	c!1;
	c!2
}
