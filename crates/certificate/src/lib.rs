//! Claims, verdicts, traces, potentials, and their checker, in exact integers.
