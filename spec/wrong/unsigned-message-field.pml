chan c = [1] of { unsigned }; // error[E0210]: `unsigned` cannot be the type of a message field
init { c!1; c?_ }
