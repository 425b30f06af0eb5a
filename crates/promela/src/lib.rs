//! Reading Promela: sources and spans, diagnostics, preprocessor, lexer, parser, names and types.
//!
//! Text goes in, a [`model::Model`] and a list of [`diagnostic::Diagnostic`]s come out; nothing here fails. Deliberately
//! absent: files (includes are asked for through [`IncludeLoader`]), output formats, automata, execution.

pub mod codes;
pub mod diagnostic;
pub mod lexer;
pub mod model;
pub mod preprocess;
pub mod source;
pub mod suggest;
pub mod token;

pub use preprocess::tokenize;

/// How `#include "name"` finds its text: given the name as written and the including file's name, the name to show and
/// the text.
pub trait IncludeLoader {
    /// The included text, or why it cannot be had.
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String>;
}

/// What the command line may say about preprocessing.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-DNAME=VALUE` (value `1` when absent) in order.
    pub defines: Vec<(String, String)>,
    /// `-UNAME`.
    pub undefines: Vec<String>,
}
