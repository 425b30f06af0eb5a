//! From a name to where it is declared, to everywhere it is mentioned, and to another name.

use super::channels::same_channel;
use crate::reading::Reading;
use promela::names::{Mention, NameKind, Role};
use promela::source::{FileId, Span};

/// A place that does not depend on which text was read: the file's name and the bytes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// First byte.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

impl Place {
    /// Where a span is spelled.
    pub fn of(reading: &Reading, span: Span) -> Place {
        Place { file: reading.sources().file(span.file).name.clone(), start: span.start, end: span.end }
    }

    /// The place in another reading, if that has the file.
    pub fn in_reading(&self, reading: &Reading) -> Option<Span> {
        let file = reading.file_named(&self.file)?;
        Some(Span { file, start: self.start, end: self.end, ..Span::default() })
    }
}

/// Where what is mentioned at a byte is declared.
pub fn declarations(reading: &Reading, file: FileId, offset: u32) -> Vec<Span> {
    let mut spans: Vec<Span> =
        reading.mentioned_at(file, offset).iter().map(|mention| mention.declared).collect();
    spans.dedup();
    spans
}

/// Every mention of what is declared at some places. Of a channel also those under the names by which it is handed over, so that all its
/// senders and receivers are there.
pub fn references(reading: &Reading, declared: &[Span], with_declaration: bool) -> Vec<Mention> {
    let mut all: Vec<Span> = Vec::new();
    for &span in declared {
        all.extend(same_channel(reading, span));
    }
    let mut found: Vec<Mention> = all.iter().flat_map(|&span| reading.mentions_of(span)).copied().collect();
    found.retain(|mention| with_declaration || mention.role != Role::Declared);
    found.sort();
    found.dedup_by_key(|mention| mention.span);
    found
}

/// What has to be changed so that a declaration has another name: all its mentions, each of which is spelled like it.
pub fn renamed(reading: &Reading, declared: &[Span]) -> Result<Vec<Mention>, String> {
    let mut found: Vec<Mention> = Vec::new();
    for &span in declared {
        found.extend(reading.mentions_of(span));
    }
    let Some(name) = declared.first().map(|&span| reading.sources().text(span)) else {
        return Err("there is no name here".into());
    };
    if found.iter().any(|mention| mention.kind == NameKind::File) {
        return Err("a file is renamed by whoever keeps it".into());
    }
    // A mention in an inline may mean something else in another call: then one name cannot do for both.
    for mention in &found {
        let file = mention.span.file;
        let others = reading.mentioned_at(file, mention.span.start);
        let differs = |other: &&Mention| other.span == mention.span && !declared.contains(&other.declared);
        if let Some(other) = others.iter().find(differs) {
            let line = reading.sources().line(other.span);
            return Err(format!("in line {line} `{name}` means several things, one for each call"));
        }
    }
    if let Some(other) = found.iter().find(|mention| reading.sources().text(mention.span) != name) {
        let line = reading.sources().line(other.span);
        return Err(format!("in line {line} `{name}` is put together by a macro"));
    }
    found.sort();
    found.dedup_by_key(|mention| mention.span);
    Ok(found)
}

/// Whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && promela::token::keyword(text).is_none()
}
