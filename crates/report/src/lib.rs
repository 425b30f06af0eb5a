//! Verdicts and diagnostics as text, JSON, SARIF and HTML.

pub mod chart;
pub mod diagnostic;
pub mod names;
