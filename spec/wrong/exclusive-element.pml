chan c[2] = [1] of { byte };
active proctype P() {
	xr c[0]; // error[E0204]: `xr` and `xs` claim no element of an array
	c[0]?1
}
