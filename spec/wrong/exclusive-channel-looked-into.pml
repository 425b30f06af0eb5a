chan c = [1] of { byte };
chan d = [1] of { byte };
active proctype receiver() {
	xr c; // warning[W0137]: `xr` is broken: `watcher` looks into `c`
	xr d; // who sends may ask whether there is room
	c?_;
	d?_
}
active proctype sender() {
	xs c; // warning[W0137]: `xs` is broken: `watcher` looks into `c`
	xs d;
	c!1;
	nfull(d);
	d!1
}
active proctype watcher() {
	c?[1] || len(c) == 0
}
