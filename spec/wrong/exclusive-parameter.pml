chan a[2] = [1] of { byte };
chan b = [2] of { byte };
proctype receiver(chan c) {
	xr c; // warning[W0137]: `xr` is broken: `thief` receives from `a[1]` too
	c?_
}
proctype sender(chan c) {
	xs c;
	c!1;
	nfull(b) // and `nempty` would be allowed
}
proctype thief(chan c) { c?_ }
proctype hands_on(chan c) { run thief(c) }
proctype twice(chan c) {
	xr c; // warning[W0137]: `xr` is broken: several processes of `twice` have `b`
	c?_
}
proctype once(chan c) {
	xs c; // warning[W0137]: `xs` is broken: `sender` looks into `b`
	c!1
}
init {
	chan own = [1] of { byte };
	atomic {
		run receiver(a[0]); run receiver(a[1]);
		run sender(a[0]); run sender(a[1]);
		run hands_on(a[1]);
		run twice(b); run twice(own); run twice(b);
		if
		:: run once(b)
		:: run once(b)
		fi
	}
}
