//! Source files, spans, and the macro and inline expansions through which a piece of text came to be.
//!
//! Invariant: a [`Span`] is meaningful only together with the [`SourceMap`] that issued its ids. A span points at the
//! *spelling* of the text; when that text came out of a macro or an `inline`, `expansion` leads to the place of use.

use crate::hash::HashSet;
use crate::names::{Mention, NameKind, Role};
use std::sync::Arc;

/// A file (or other named text) in a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// One use of a macro or an `inline`; [`ExpansionId::NONE`] is text that stands in the file as it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// Text that came out of no expansion.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// A range of bytes of one file, and the expansion that brought it to where it is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The file in which the text is spelled.
    pub file: FileId,
    /// The use of a macro or inline that put the text in its place.
    pub expansion: ExpansionId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The same text, whatever brought it to where it is used.
    pub(crate) fn spelled(self) -> Span {
        Span { expansion: ExpansionId::NONE, ..self }
    }
}

/// What kind of construct an [`Expansion`] is a use of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpansionKind {
    /// A `#define`d macro.
    Macro,
    /// A Promela `inline`.
    Inline,
}

/// One use of a macro or an `inline`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// Macro or inline.
    pub kind: ExpansionKind,
    /// Its name.
    pub name: Arc<str>,
    /// Where it is used; itself possibly inside another expansion.
    pub used_at: Span,
    /// Where it is defined.
    pub defined_at: Span,
}

/// A named text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// The name shown to people: a path as it was given.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, text: String) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        Self { name, text, line_starts }
    }
}

/// A position for people: both count from one, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// All the texts that a model was read from, all expansions that happened, and all names that are mentioned.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
    mentions: Vec<Mention>,
    /// Those that came out of expansions: what an inline mentions is mentioned again by each call.
    repeated: HashSet<Mention>,
}

impl SourceMap {
    /// Adds a text under a name.
    pub fn add_file(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    /// Puts another text in the place of one.
    pub(crate) fn replace_text(&mut self, id: FileId, text: &str) {
        let file = &mut self.files[id.0 as usize];
        *file = SourceFile::new(std::mem::take(&mut file.name), text.to_string());
    }

    /// What stays of it when texts are read again: no file, every expansion under its number, and the mentions for which `stays` says so,
    /// which is told whether one came out of an expansion. All of it moved to where it is now.
    pub(crate) fn moved(&self, moved: impl Fn(Span) -> Span, stays: impl Fn(&Mention, bool) -> bool) -> Self {
        let expansions = self.expansions.iter().map(|expansion| Expansion {
            used_at: moved(expansion.used_at),
            defined_at: moved(expansion.defined_at),
            ..expansion.clone()
        });
        let mut map = SourceMap { expansions: expansions.collect(), ..SourceMap::default() };
        for mention in &self.mentions {
            let repeated = self.repeated.contains(mention);
            if stays(mention, repeated) {
                let mention =
                    Mention { span: moved(mention.span), declared: moved(mention.declared), ..*mention };
                map.mentions.push(mention);
                if repeated {
                    map.repeated.insert(mention);
                }
            }
        }
        map
    }

    /// How many expansions there were.
    pub(crate) fn expansion_count(&self) -> usize {
        self.expansions.len()
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// Records a use of a macro or inline.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// The use behind an id; `None` for [`ExpansionId::NONE`].
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        (id.0 as usize).checked_sub(1).map(|i| &self.expansions[i])
    }

    /// Notes that a name is mentioned. Both places are taken as they are spelled.
    pub(crate) fn mention(&mut self, span: Span, declared: Span, kind: NameKind, role: Role) {
        let mention = Mention { span: span.spelled(), declared: declared.spelled(), kind, role };
        if span.expansion == ExpansionId::NONE || self.repeated.insert(mention) {
            self.mentions.push(mention);
        }
    }

    /// Every mention of a name, declarations included, in no order; one that was read twice may be there twice.
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// The chain of expansions around a span, innermost first.
    pub fn expansion_chain(&self, span: Span) -> Vec<&Expansion> {
        let mut chain = Vec::new();
        let mut id = span.expansion;
        while let Some(expansion) = self.expansion(id) {
            chain.push(expansion);
            id = expansion.used_at.expansion;
        }
        chain
    }

    /// Where a reader of the file sees the text: macros are followed to their use, inlines are not (a statement of an
    /// inline is shown where it is written, as SPIN does).
    pub fn visible_span(&self, span: Span) -> Span {
        let mut visible = span;
        while let Some(expansion) = self.expansion(visible.expansion) {
            match expansion.kind {
                ExpansionKind::Macro => visible = expansion.used_at,
                ExpansionKind::Inline => break,
            }
        }
        visible
    }

    /// From the beginning of one span to the end of another. Where one of them comes out of a macro and the other does not, the use of the
    /// macro stands for it, so that `n < LIMIT` is covered as it is written, and so is `wait(n)`, of which `n` may be what comes first. The first
    /// alone if they have no text in common.
    pub fn cover(&self, first: Span, last: Span) -> Span {
        let uses = |span: Span| {
            std::iter::successors(Some(span), |span| match self.expansion(span.expansion) {
                Some(Expansion { kind: ExpansionKind::Macro, used_at, .. }) => {
                    Some(self.with_arguments(*used_at))
                }
                _ => None,
            })
        };
        for start in uses(first) {
            let in_one_text = |end: &Span| {
                end.file == start.file && end.expansion == start.expansion && end.end >= start.start
            };
            if let Some(end) = uses(last).find(in_one_text) {
                // What begins with an argument of a macro and ends in the macro is all of its use.
                return Span { start: start.start.min(end.start), end: end.end, ..start };
            }
        }
        first
    }

    /// The use of a macro by its name, up to the end of its arguments if it has any.
    fn with_arguments(&self, name: Span) -> Span {
        let rest = self.file(name.file).text.get(name.end as usize..).unwrap_or("");
        let mut depth = 0;
        for (offset, byte) in rest.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return Span { end: name.end + offset as u32 + 1, ..name },
                b')' => depth -= 1,
                b' ' | b'\t' => {}
                _ if depth == 0 => break,
                _ => {}
            }
            if depth < 0 {
                break;
            }
        }
        name
    }

    /// The line (from 1) of the first byte of a span, as spelled.
    pub fn line(&self, span: Span) -> u32 {
        self.file(span.file).line_starts.partition_point(|&s| s <= span.start) as u32
    }

    /// Line and column of the first byte of a span, as spelled.
    pub fn line_column(&self, span: Span) -> LineColumn {
        let file = self.file(span.file);
        let line = self.line(span) as usize - 1;
        let start = file.line_starts[line] as usize;
        let end = (span.start as usize).min(file.text.len());
        let column = file.text.get(start..end).map_or(0, |t| t.chars().count());
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The line (from 1) at which a reader sees the text.
    pub fn visible_line(&self, span: Span) -> u32 {
        self.line(self.visible_span(span))
    }

    /// The text of a span, as spelled.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}
