//! The portfolio of engines behind every verdict.
