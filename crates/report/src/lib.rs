//! Verdicts and diagnostics as text, JSON, SARIF and HTML.

pub mod diagnostic;
