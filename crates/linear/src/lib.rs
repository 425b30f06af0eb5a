//! Exact linear programming.
