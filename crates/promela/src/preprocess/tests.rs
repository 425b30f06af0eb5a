//! Exact tokens and exact messages; what gcc and SPIN make of each text was looked up when the test was written.

mod conditionals;
mod diagnostics;
mod examples;
mod includes;
mod limits;
mod macros;
mod spans;
mod tokens;

use std::collections::HashMap;

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;
use crate::token::{Token, TokenKind};
use crate::{IncludeLoader, Options, tokenize};

/// Files in memory.
#[derive(Default)]
pub struct Files(HashMap<&'static str, String>);

impl Files {
    pub fn of(files: &[(&'static str, &str)]) -> Self {
        Files(files.iter().map(|(name, text)| (*name, (*text).to_owned())).collect())
    }
}

impl IncludeLoader for Files {
    fn load(&self, name: &str, _included_from: &str) -> Result<(String, String), String> {
        match self.0.get(name) {
            Some(text) => Ok((name.to_owned(), text.clone())),
            None => Err("no such file".to_owned()),
        }
    }
}

pub struct Read {
    pub sources: SourceMap,
    pub tokens: Vec<Token>,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn read_with(text: &str, options: &Options, files: &Files) -> Read {
    let mut sources = SourceMap::default();
    let file = sources.add_file("test.pml", text);
    let (tokens, diagnostics) = tokenize(&mut sources, file, options, files);
    Read { sources, tokens, diagnostics }
}

pub fn read(text: &str) -> Read {
    read_with(text, &Options::default(), &Files::default())
}

impl Read {
    /// The tokens with blanks between them, without the end.
    pub fn text(&self) -> String {
        let words: Vec<String> = self.tokens.iter().filter_map(|token| spelling(&token.kind)).collect();
        words.join(" ")
    }

    /// The same, with `⏎` before tokens that start a line.
    pub fn lines(&self) -> String {
        let words = self.tokens.iter().filter_map(|token| {
            spelling(&token.kind).map(|word| if token.starts_line { format!("⏎{word}") } else { word })
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// `CODE line:column message` for each complaint, as a reader sees it.
    pub fn complaints(&self) -> Vec<String> {
        let show = |d: &Diagnostic| {
            let place = self.sources.line_column(self.sources.visible_span(d.span));
            format!("{} {}:{} {}", d.code, place.line, place.column, d.message)
        };
        self.diagnostics.iter().map(show).collect()
    }
}

fn spelling(kind: &TokenKind) -> Option<String> {
    Some(match kind {
        TokenKind::Name(name) => name.to_string(),
        TokenKind::Keyword(keyword) => keyword.text().to_owned(),
        TokenKind::Number(number) => number.to_string(),
        TokenKind::String(text) => format!("\"{text}\""),
        TokenKind::Punct(punct) => punct.text().to_owned(),
        TokenKind::End => return None,
    })
}

/// The text must read without complaint.
#[track_caller]
pub fn assert_reads(text: &str, expected: &str) {
    let read = read(text);
    assert_eq!(read.complaints(), Vec::<String>::new());
    assert_eq!(read.text(), expected);
}

/// The text must give exactly these complaints.
#[track_caller]
pub fn assert_complains(text: &str, expected: &[&str]) {
    assert_eq!(read(text).complaints(), expected);
}
