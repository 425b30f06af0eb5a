//! Places as editors count them: lines and columns from 0, columns in code units of one encoding or another, files by their URI.

use lsp_types::{Location, Position, Range, TextDocumentContentChangeEvent, Uri};
use promela::source::{FileId, SourceMap, Span};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Halves of characters beyond the basic plane, whole characters otherwise: what editors agreed on first.
    Utf16,
}

impl Encoding {
    fn width(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
        }
    }

    /// How wide a piece of a line is.
    pub fn columns(self, text: &str) -> u32 {
        match self {
            Encoding::Utf8 => text.len() as u32,
            // One for each first byte of a character, and another for those of four bytes: lines can be long, and bytes are counted fast.
            Encoding::Utf16 => {
                let halves = |byte: u8| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0);
                text.bytes().map(halves).sum::<usize>() as u32
            }
        }
    }
}

/// A text that is being edited.
#[derive(Clone, Debug)]
pub struct Text {
    text: String,
    line_starts: Vec<usize>,
}

impl Text {
    /// A text as it is.
    pub fn new(text: String) -> Text {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Text { text, line_starts }
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte at a position; beyond the end of a line, that end.
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let Some(&start) = self.line_starts.get(position.line as usize) else { return self.text.len() };
        let end = self.line_starts.get(position.line as usize + 1).map_or(self.text.len(), |next| next - 1);
        let line = &self.text[start..end];
        let mut columns = 0;
        for (at, character) in line.char_indices() {
            if columns >= position.character as usize {
                return start + at;
            }
            columns += encoding.width(character);
        }
        end
    }

    /// The position of a byte.
    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let character = encoding.columns(&self.text[self.line_starts[line]..offset]);
        Position { line: line as u32, character }
    }

    /// The range of some bytes.
    pub fn range(&self, bytes: std::ops::Range<usize>, encoding: Encoding) -> Range {
        Range { start: self.position(bytes.start, encoding), end: self.position(bytes.end, encoding) }
    }

    /// Does what somebody typed.
    pub fn apply(&mut self, change: &TextDocumentContentChangeEvent, encoding: Encoding) {
        let text = match change.range {
            None => change.text.clone(),
            Some(range) => {
                let start = self.offset(range.start, encoding);
                let end = self.offset(range.end, encoding).max(start);
                let mut text = std::mem::take(&mut self.text);
                text.replace_range(start..end, &change.text);
                text
            }
        };
        *self = Text::new(text);
    }
}

/// The range of a span where a reader of the file sees it.
pub fn visible_range(sources: &SourceMap, span: Span, encoding: Encoding) -> Range {
    range(sources, sources.visible_span(span), encoding)
}

/// The range of a span as it is spelled.
pub fn range(sources: &SourceMap, span: Span, encoding: Encoding) -> Range {
    let start = position(sources, span.file, span.start, encoding);
    let end = position(sources, span.file, span.end.max(span.start), encoding);
    Range { start, end }
}

fn position(sources: &SourceMap, file: FileId, offset: u32, encoding: Encoding) -> Position {
    let text = &sources.file(file).text;
    let mut at = (offset as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let line = sources.line(Span { file, start: at as u32, end: at as u32, ..Span::default() }) - 1;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    Position { line, character: encoding.columns(&text[start..at]) }
}

/// Where a span is spelled; nothing, if that is no file (a macro of the command line).
pub fn location(sources: &SourceMap, span: Span, encoding: Encoding) -> Option<Location> {
    Some(Location { uri: uri_of(&sources.file(span.file).name)?, range: range(sources, span, encoding) })
}

/// Where a reader sees a span.
pub fn visible_location(sources: &SourceMap, span: Span, encoding: Encoding) -> Option<Location> {
    location(sources, sources.visible_span(span), encoding)
}

/// The name under which a document is read: its path, or whatever it is if it is no file.
pub fn name_of(uri: &Uri) -> String {
    path_of(uri).map_or_else(|| uri.as_str().to_string(), |path| path.display().to_string())
}

/// The path of a file.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    // A host other than none at all is not this machine.
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let decoded = decoded(path.split(['?', '#']).next().unwrap_or(path));
    // `/C:/models` is a path with a drive.
    let drive = decoded.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { decoded[1..].to_string() } else { decoded }))
}

/// The URI of a document that is read under this name.
pub fn uri_of(name: &str) -> Option<Uri> {
    if Path::new(name).is_absolute() {
        let mut uri = String::from(if name.starts_with('/') { "file://" } else { "file:///" });
        for byte in name.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                    uri.push(byte as char)
                }
                b'\\' => uri.push('/'),
                _ => uri.push_str(&format!("%{byte:02X}")),
            }
        }
        return Uri::from_str(&uri).ok();
    }
    Uri::from_str(name).ok().filter(|uri| uri.scheme().is_some())
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        let digits = behind.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match (first, digits.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_what_the_editor_counts() {
        let text = Text::new("a\n𝄞é;x\n".into());
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3)] {
            let position = Position { line: 1, character: column };
            assert_eq!(text.offset(position, encoding), 8, "{encoding:?}");
            assert_eq!(text.position(8, encoding), position);
        }
        assert_eq!(text.offset(Position { line: 1, character: 99 }, Encoding::Utf16), 10);
        assert_eq!(text.offset(Position { line: 9, character: 0 }, Encoding::Utf16), 11);
    }

    #[test]
    fn an_edit_changes_what_it_covers() {
        let mut text = Text::new("byte x;\nbyte y;\n".into());
        let range =
            Range { start: Position { line: 0, character: 5 }, end: Position { line: 1, character: 5 } };
        let change =
            TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: "ü".into() };
        text.apply(&change, Encoding::Utf16);
        assert_eq!(text.as_str(), "byte üy;\n");
        let everything = TextDocumentContentChangeEvent { range: None, range_length: None, text: "z".into() };
        text.apply(&everything, Encoding::Utf16);
        assert_eq!(text.as_str(), "z");
    }

    #[test]
    fn paths_with_blanks_come_back_from_their_uri() {
        let uri = uri_of("/my models/50%/ä.pml").expect("it is a path");
        assert_eq!(uri.as_str(), "file:///my%20models/50%25/%C3%A4.pml");
        assert_eq!(name_of(&uri), "/my models/50%/ä.pml");
        assert!(uri_of("<command line>").is_none());
    }
}
