chan a = [1] of { byte }, b = [1] of { byte }; // error[E0001]: expected a declaration or a proctype, found `,`
init { a!1; a?_ }
