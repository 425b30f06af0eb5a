//! Diagnostics as the command line has them, with the changes that mend them.

use super::pieces::{Pieces, bytes, is};
use crate::place::{Encoding, Text, location, uri_of, visible_location, visible_range};
use crate::reading::Reading;
use lsp_types::{
    CodeAction, CodeActionKind, CodeDescription, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, DiagnosticTag, NumberOrString, TextEdit, WorkspaceEdit,
};
use promela::codes;
use promela::diagnostic::{self, Severity};
use promela::source::{ExpansionId, FileId};
use promela::token::Punct;
use std::collections::HashMap;

/// More than this nobody reads.
const MOST: usize = 1000;

/// What is wrong with a text and with what it includes, each with the name of its file.
pub fn problems(reading: &Reading, encoding: Encoding) -> Vec<(String, Diagnostic)> {
    let sources = reading.sources();
    let placed = |found: &diagnostic::Diagnostic| {
        let file = sources.visible_span(found.span).file;
        (sources.file(file).name.clone(), shown(reading, found, encoding))
    };
    reading.diagnostics.iter().take(MOST).map(placed).collect()
}

fn shown(reading: &Reading, found: &diagnostic::Diagnostic, encoding: Encoding) -> Diagnostic {
    let sources = reading.sources();
    let mut message = found.message.clone();
    if !found.label.is_empty() {
        message.push_str(&format!("\n{}", found.label));
    }
    if let Some(help) = &found.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let others = found.related.iter().map(|label| (label.span, label.message.clone()));
    let expansions = sources
        .expansion_chain(found.span)
        .into_iter()
        .map(|expansion| (expansion.defined_at, format!("it comes from `{}`, defined here", expansion.name)));
    let related: Vec<DiagnosticRelatedInformation> = others
        .chain(expansions)
        .filter_map(|(span, message)| {
            Some(DiagnosticRelatedInformation {
                location: visible_location(sources, span, encoding)?,
                message,
            })
        })
        .collect();
    let severity = match found.severity {
        Severity::Error | Severity::Refused => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    Diagnostic {
        range: visible_range(sources, found.span, encoding),
        severity: Some(severity),
        code: Some(NumberOrString::String(found.code.into())),
        code_description: None::<CodeDescription>,
        source: Some("plimsoll".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: is_unused(found.code).then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    }
}

fn is_unused(code: &str) -> bool {
    [codes::UNUSED_INLINE, codes::UNUSED_MTYPE_NAME, codes::UNUSED_PROCTYPE, codes::UNUSED_VARIABLE]
        .contains(&code)
}

/// Changes that mend what stands within the range.
pub fn fixes(
    reading: &Reading,
    file: FileId,
    text: &Text,
    wanted: lsp_types::Range,
    encoding: Encoding,
) -> Vec<CodeAction> {
    let sources = reading.sources();
    let mut actions = Vec::new();
    for found in &reading.diagnostics {
        let at = visible_range(sources, found.span, encoding);
        let visible = sources.visible_span(found.span);
        if visible.file != file || at.end < wanted.start || wanted.end < at.start {
            continue;
        }
        let fix = match &found.fix {
            // What comes out of a macro is mended there, by hand: others use it too.
            Some(fix) if fix.span.expansion == ExpansionId::NONE => {
                let old = sources.text(fix.span);
                let title = match (old, fix.text.trim()) {
                    ("", new) => format!("insert `{new}`"),
                    (old, new) => format!("replace `{old}` by `{new}`"),
                };
                location(sources, fix.span, encoding).map(|place| {
                    (title, place.uri, TextEdit { range: place.range, new_text: fix.text.clone() })
                })
            }
            Some(_) => None,
            None if found.code == codes::UNUSED_VARIABLE && found.span.expansion == ExpansionId::NONE => {
                let name = sources.text(found.span).to_string();
                let removed = without_declaration(text, found.span.start as usize);
                removed.zip(uri_of(&sources.file(file).name)).map(|(removed, uri)| {
                    let range = text.range(removed, encoding);
                    (format!("remove `{name}`"), uri, TextEdit { range, new_text: String::new() })
                })
            }
            None => None,
        };
        let Some((title, uri, edit)) = fix else { continue };
        #[allow(clippy::mutable_key_type, reason = "the protocol's own type")]
        let changes = HashMap::from([(uri, vec![edit])]);
        actions.push(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![shown(reading, found, encoding)]),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            is_preferred: Some(found.fix.is_some()),
            ..CodeAction::default()
        });
    }
    actions
}

/// The bytes to take away so that a variable is no longer declared: with its type if it is the only one there. Nothing where the
/// declaration does not look like one (a parameter, whose callers would have to change too).
fn without_declaration(text: &Text, name: usize) -> Option<std::ops::Range<usize>> {
    let pieces = Pieces::of(text.as_str());
    let all = pieces.all();
    let at = all.iter().position(|piece| piece.span.start as usize == name)?;
    let mut depth = 0;
    let mut behind = at + 1;
    loop {
        let piece = all.get(behind)?;
        match piece.kind {
            _ if depth == 0 && (is(piece, Punct::Comma) || is(piece, Punct::Semicolon)) => break,
            _ if is(piece, Punct::LeftBrace)
                || is(piece, Punct::LeftParen)
                || is(piece, Punct::LeftBracket) =>
            {
                depth += 1;
            }
            _ if is(piece, Punct::RightBrace)
                || is(piece, Punct::RightParen)
                || is(piece, Punct::RightBracket) =>
            {
                depth -= 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        behind += 1;
    }
    let before = all.get(at.checked_sub(1)?)?;
    if is(&all[behind], Punct::Comma) {
        let next = bytes(all.get(behind + 1)?).start;
        // In a list of parameters a comma separates variables of one type, and a semicolon types: both look like this.
        return Some(name..next);
    }
    if is(before, Punct::Comma) {
        return Some(bytes(before).start..bytes(&all[behind - 1]).end);
    }
    // `byte x;`: the type is one word, before which a statement or a unit ends.
    let ends = |piece: &promela::lexer::Piece| {
        is(piece, Punct::Semicolon) || is(piece, Punct::LeftBrace) || is(piece, Punct::RightBrace)
    };
    let outermost = at.checked_sub(2).is_none_or(|index| ends(&all[index]));
    outermost.then(|| bytes(before).start..bytes(&all[behind]).end)
}
