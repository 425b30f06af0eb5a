mtype:request { get, put } // error[E0001]: expected `=`, found `{`
mtype { fine }
mtype:request r = get;
channel c = [1] of { mtype }; // error[E0001]: expected a declaration or a proctype, found `channel`
init { r = put; r = fnie } // error[E0101]: `fnie` is not declared
