//! Verdicts and diagnostics as text, JSON, SARIF and HTML.

pub mod annotations;
pub mod baseline;
pub mod boxes;
pub mod chart;
pub mod columns;
pub mod diagnostic;
pub mod expect;
pub mod export;
pub mod graph;
pub mod html;
pub mod json;
pub mod junit;
pub mod names;
pub mod spin;
pub mod steps;
pub mod style;
pub mod table;
pub mod text;
pub mod trace_file;
pub mod waiting;
pub mod warnings;
