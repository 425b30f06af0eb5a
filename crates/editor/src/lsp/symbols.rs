//! The outline of a text, what can be folded, and what stands where in all texts.

use super::hover::{declaration, is_at, signature};
use super::pieces::{Pieces, bytes, is};
use crate::place::{Encoding, Text, range, visible_location};
use crate::reading::Reading;
use lsp_types::{DocumentSymbol, FoldingRange, FoldingRangeKind, SymbolInformation, SymbolKind};
use promela::lexer::PieceKind;
use promela::model::Variable;
use promela::names::{Mention, NameKind};
use promela::source::{FileId, Span};
use promela::token::{Keyword, Punct};
use std::collections::HashMap;

/// The outline: what is declared outermost; within proctypes their variables and labels.
#[allow(deprecated, reason = "a field of the protocol that has a successor and must still be filled")]
pub fn outline(reading: &Reading, file: FileId, encoding: Encoding) -> Vec<DocumentSymbol> {
    let model = &reading.model;
    let mut outer: Vec<(Span, DocumentSymbol)> = Vec::new();
    let symbol = |mention: &Mention, whole: Span, detail: Option<String>| DocumentSymbol {
        name: reading.sources().text(mention.span).to_string(),
        detail,
        kind: kind(mention.kind),
        tags: None,
        deprecated: None,
        range: range(reading.sources(), whole, encoding),
        selection_range: range(reading.sources(), mention.span, encoding),
        children: Some(Vec::new()),
    };
    for proctype in model.proctypes.iter().filter(|proctype| proctype.span.file == file) {
        let init = Mention {
            span: proctype.span,
            declared: proctype.span,
            kind: NameKind::Proctype,
            role: promela::names::Role::Declared,
        };
        let whole = Span { end: proctype.end.end.max(proctype.span.end), ..proctype.span };
        let detail = (proctype.name != ":init:").then(|| signature(model, proctype));
        outer.push((whole, symbol(&init, whole, detail)));
    }
    outer.sort_by_key(|(span, _)| span.start);
    let bodies: Vec<Span> = outer.iter().map(|(span, _)| *span).collect();
    let locals = model.proctypes.iter().flat_map(|proctype| &proctype.locals);
    let variables: HashMap<(FileId, u32), &Variable> =
        model.globals.iter().chain(locals).map(|v| ((v.span.file, v.span.start), v)).collect();
    for mention in reading.declarations().filter(|mention| mention.span.file == file) {
        if matches!(mention.kind, NameKind::Proctype | NameKind::TextParameter) {
            continue;
        }
        let variable = variables.get(&(mention.span.file, mention.span.start));
        let inner = symbol(mention, mention.span, variable.map(|variable| declaration(model, variable)));
        let before = bodies.partition_point(|body| body.start <= mention.span.start);
        let around = before
            .checked_sub(1)
            .filter(|&last| belongs_inside(mention.kind) && mention.span.end <= bodies[last].end);
        match around {
            Some(body) => outer[body].1.children.get_or_insert_default().push(inner),
            None => outer.push((mention.span, inner)),
        }
    }
    outer.sort_by_key(|(span, _)| span.start);
    outer.into_iter().map(|(_, symbol)| symbol).collect()
}

fn belongs_inside(kind: NameKind) -> bool {
    matches!(kind, NameKind::Variable | NameKind::Label)
}

/// What is declared outermost and has the words of the query in its name.
#[allow(deprecated, reason = "a field of the protocol that has a successor and must still be filled")]
pub fn matching(reading: &Reading, query: &str, encoding: Encoding) -> Vec<SymbolInformation> {
    let query = query.to_lowercase();
    let model = &reading.model;
    let mut found = Vec::new();
    for mention in reading.declarations() {
        let name = reading.sources().text(mention.span);
        let local = mention.kind == NameKind::Variable
            && !model.globals.iter().any(|global| is_at(global.span, mention.span));
        let shown = !local && !matches!(mention.kind, NameKind::Label | NameKind::TextParameter);
        if shown
            && name.to_lowercase().contains(&query)
            && let Some(location) = visible_location(reading.sources(), mention.span, encoding)
        {
            found.push(SymbolInformation {
                name: name.to_string(),
                kind: kind(mention.kind),
                tags: None,
                deprecated: None,
                location,
                container_name: file_name(reading, mention.span.file),
            });
        }
    }
    found
}

fn file_name(reading: &Reading, file: FileId) -> Option<String> {
    reading.sources().file(file).name.rsplit('/').next().map(ToString::to_string)
}

/// What kind of thing an editor takes it for.
pub fn kind(kind: NameKind) -> SymbolKind {
    match kind {
        NameKind::Variable | NameKind::TextParameter => SymbolKind::VARIABLE,
        NameKind::Field => SymbolKind::FIELD,
        NameKind::Symbol => SymbolKind::ENUM_MEMBER,
        NameKind::SymbolSet => SymbolKind::ENUM,
        NameKind::Typedef => SymbolKind::STRUCT,
        NameKind::Proctype => SymbolKind::CLASS,
        NameKind::Inline => SymbolKind::FUNCTION,
        NameKind::Label => SymbolKind::KEY,
        NameKind::Property => SymbolKind::BOOLEAN,
        NameKind::Macro => SymbolKind::CONSTANT,
        NameKind::File => SymbolKind::FILE,
    }
}

/// Blocks, loops, choices, conditionals of the preprocessor, and comments of several lines.
pub fn folds(text: &Text) -> Vec<FoldingRange> {
    let pieces = Pieces::of(text.as_str());
    let line = |offset: usize| text.position(offset, Encoding::Utf8).line;
    let mut folds = Vec::new();
    let mut fold = |start: usize, end: usize, kind: Option<FoldingRangeKind>, closer_stays: bool| {
        let (start_line, end_line) = (line(start), line(end).saturating_sub(u32::from(closer_stays)));
        if end_line > start_line {
            folds.push(FoldingRange { start_line, end_line, kind, ..FoldingRange::default() });
        }
    };
    let (mut open, mut conditionals) = (Vec::new(), Vec::new());
    let all = pieces.all();
    for (at, piece) in all.iter().enumerate() {
        let start = bytes(piece).start;
        let directive = piece.kind == PieceKind::Hash && piece.first_on_line;
        let after_hash = at > 0 && all[at - 1].kind == PieceKind::Hash && all[at - 1].first_on_line;
        match pieces.keyword(piece) {
            _ if directive => match all.get(at + 1).map(|word| pieces.text(word)) {
                Some("if" | "ifdef" | "ifndef") => conditionals.push(start),
                Some("else" | "elif") => {
                    if let Some(begin) = conditionals.pop() {
                        fold(begin, start, None, true);
                    }
                    conditionals.push(start);
                }
                Some("endif") => {
                    if let Some(begin) = conditionals.pop() {
                        fold(begin, start, None, true);
                    }
                }
                _ => {}
            },
            _ if after_hash => {}
            Some(Keyword::Do | Keyword::If) => open.push(start),
            _ if is(piece, Punct::LeftBrace) => open.push(start),
            Some(Keyword::Od | Keyword::Fi) => {
                if let Some(begin) = open.pop() {
                    fold(begin, start, None, true);
                }
            }
            _ if is(piece, Punct::RightBrace) => {
                if let Some(begin) = open.pop() {
                    fold(begin, start, None, true);
                }
            }
            _ => {}
        }
    }
    for comment in pieces.comments() {
        fold(comment.start, comment.end, Some(FoldingRangeKind::Comment), false);
    }
    folds
}
