//! Reading Promela: sources and spans, diagnostics, preprocessor, lexer, parser, names and types.
//!
//! Text goes in, a [`model::Model`] and a list of [`diagnostic::Diagnostic`]s come out; nothing here fails. Deliberately
//! absent: files (includes are asked for through [`IncludeLoader`]), output formats, automata, execution.

pub mod again;
mod ast;
mod check;
pub mod codes;
pub mod diagnostic;
mod hash;
pub mod interrupt;
pub mod lexer;
pub mod model;
pub mod names;
mod parse;
pub mod preprocess;
pub mod print;
mod resolve;
pub mod source;
pub mod suggest;
pub mod token;
mod walk;

use diagnostic::{Diagnostic, Severity};
use model::{Ltl, Model};
pub use preprocess::tokenize;
use std::rc::Rc;

/// Reads a model. Whatever the text, there is a model; it means something only if no diagnostic is an error.
pub fn read(
    name: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeLoader,
) -> (Model, Vec<Diagnostic>) {
    let mut sources = source::SourceMap::default();
    let file = sources.add_file(name, text);
    let (tokens, mut diagnostics) = tokenize(&mut sources, file, options, includes);
    let (ast, syntax) = parse::parse(tokens, [], &mut sources);
    diagnostics.extend(syntax);
    understood(sources, diagnostics, || resolve::resolve(&ast))
}

/// What a text means whose syntax is known, and everything that is wrong with it.
fn understood(
    mut sources: source::SourceMap,
    mut diagnostics: Vec<Diagnostic>,
    resolve: impl FnOnce() -> (Model, Vec<Diagnostic>, Vec<names::Mention>),
) -> (Model, Vec<Diagnostic>) {
    let (mut model, meaning, mentions) = resolve();
    diagnostics.extend(meaning);
    mentions.into_iter().for_each(|m| sources.mention(m.span, m.declared, m.kind, m.role));
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    if diagnostics.iter().any(|d| d.severity > Severity::Warning) {
        // What is in error was perhaps meant to use them.
        diagnostics.retain(|d| !check::UNUSED.contains(&d.code));
    }
    if diagnostics.iter().any(|d| is_error(d) && d.code != codes::NOTHING_RUNS) {
        // What is in error was perhaps meant to run.
        diagnostics.retain(|d| d.code != codes::NOTHING_RUNS);
    }
    model.sources = sources;
    explain_late_macros(&mut diagnostics, &model.sources);
    let diagnostics = in_order(diagnostics, &model.sources);
    (model, diagnostics)
}

/// Reads a temporal formula over a model that is already read, such as one from the command line. Names are global
/// names of the model; macros are those of `options`. The formula's text becomes a file of the model's sources, so that
/// diagnostics can show it.
pub fn read_formula(
    model: &mut Model,
    name: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeLoader,
) -> Result<Ltl, Vec<Diagnostic>> {
    let mut sources = std::mem::take(&mut model.sources);
    let file = sources.add_file(name, text);
    let (tokens, mut diagnostics) = tokenize(&mut sources, file, options, includes);
    let symbols: Vec<Rc<str>> =
        model.mtype_sets.iter().flat_map(|set| &set.names).map(|(name, ..)| name.as_str().into()).collect();
    let proctypes: Vec<Rc<str>> = model.proctypes.iter().map(|p| p.name.as_str().into()).collect();
    let (formula, syntax) = parse::parse_formula(tokens, &mut sources, symbols, proctypes);
    diagnostics.extend(syntax);
    let (formula, meaning) = resolve::resolve_formula(model, &formula);
    diagnostics.extend(meaning);
    model.sources = sources;
    if diagnostics.iter().any(|d| d.severity == Severity::Error) { Err(diagnostics) } else { Ok(formula) }
}

/// A name that is not declared may be that of a macro, which holds from its definition on.
fn explain_late_macros(diagnostics: &mut [Diagnostic], sources: &source::SourceMap) {
    if diagnostics.iter().all(|d| d.code != codes::UNDECLARED) {
        return;
    }
    let mut macros: hash::HashMap<&str, Vec<source::Span>> = hash::HashMap::default();
    let is_macro = |m: &&names::Mention| m.kind == names::NameKind::Macro && m.role == names::Role::Declared;
    for mention in sources.mentions().iter().filter(is_macro) {
        macros.entry(sources.text(mention.span)).or_default().push(mention.span);
    }
    for diagnostic in diagnostics.iter_mut().filter(|d| d.code == codes::UNDECLARED) {
        let declared = macros.get(sources.text(diagnostic.span)).into_iter().flatten();
        let Some(later) = declared.copied().find(|declared| *declared > diagnostic.span) else { continue };
        let said = diagnostic.clone().with_related(later, "it is defined only here, after its use");
        *diagnostic = said.with_help("a macro holds from its `#define` on: put that before the first use");
    }
}

/// By place, and each thing once: what is wrong in an inline is wrong at each of its calls.
fn in_order(mut diagnostics: Vec<Diagnostic>, sources: &source::SourceMap) -> Vec<Diagnostic> {
    let mut seen = hash::HashSet::default();
    diagnostics.retain(|d| seen.insert((d.code, d.span.file, d.span.start, d.span.end, d.message.clone())));
    diagnostics.sort_by_key(|d| {
        let visible = sources.visible_span(d.span);
        (visible.file, visible.start)
    });
    let mut types = hash::HashSet::default();
    diagnostics.retain(|d| d.code != codes::TYPE_AS_NAME || types.insert(d.message.clone()));
    diagnostics
}

/// How `#include "name"` finds its text: given the name as written and the including file's name, the name to show and
/// the text.
pub trait IncludeLoader {
    /// The included text, or why it cannot be had.
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String>;
}

/// For a text without files beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIncludes;

impl IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
        Err(format!("there are no files here, and so no `{name}`"))
    }
}

/// What the command line may say about preprocessing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// `-DNAME=VALUE` (value `1` when absent) in order.
    pub defines: Vec<(String, String)>,
    /// `-UNAME`.
    pub undefines: Vec<String>,
}
