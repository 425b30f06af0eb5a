//! Explicit-state search.
