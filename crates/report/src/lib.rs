//! Verdicts as text, JSON, SARIF and HTML.
