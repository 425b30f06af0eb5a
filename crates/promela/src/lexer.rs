//! From the text of one file to preprocessing tokens: words, numbers, literals, operators, and where lines begin.
//!
//! A preprocessing token is not yet a token of Promela: keywords are names, numbers may have letters behind them
//! (`0x1F` is one token, as for C's preprocessor, so that nothing inside it is taken for a macro), and what is wrong with
//! a token is said only if it survives the conditionals ([`PieceKind::Bad`]). Unlike C's preprocessor, `0..N` is three
//! tokens, so that `N` may be a macro.
//!
//! Invariants: the last piece is [`PieceKind::End`]; every other piece consumes at least one byte; all work is linear.

use crate::hash::HashMap;
use crate::interrupt;
use std::rc::Rc;

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::source::{ExpansionId, FileId, Span};
use crate::token::{Keyword, Punct};

/// An interned spelling. The first ones are the keywords, in the order of [`Keyword::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symbol(pub u32);

/// Spellings, each stored once.
pub struct Interner {
    texts: Vec<Rc<str>>,
    symbols: HashMap<Rc<str>, Symbol>,
}

/// A preprocessing token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Where it is spelled.
    pub span: Span,
    /// It is the first of a logical line, so that a `#` begins a directive.
    pub first_on_line: bool,
    /// A line of the file ended since the piece before; inside a comment or with a backslash counts, as in the output of
    /// `gcc -E`, where SPIN looks for ends of lines.
    pub after_newline: bool,
    /// White space or a comment stands before it.
    pub after_space: bool,
    /// A name that may never again be expanded, because it came out of its own macro.
    pub painted: bool,
}

/// What a preprocessing token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// A name or a keyword.
    Name(Symbol),
    /// Digits, and the letters that stand directly behind them.
    Number(Symbol),
    /// `'a'`, quotes included.
    Character(Symbol),
    /// `"text"`, quotes included.
    String(Symbol),
    /// An operator or a piece of punctuation of Promela.
    Punct(Punct),
    /// `#`
    Hash,
    /// `##`
    HashHash,
    /// `...`
    Ellipsis,
    /// A spelling that SPIN reads in a surprising way.
    Odd(Odd),
    /// Something that no token begins with, or that does not end.
    Bad(Bad),
    /// Nothing: an empty argument beside `##`.
    Placemarker,
    /// The end of the text.
    End,
}

/// Spellings that deserve a warning if they are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Odd {
    /// `-->`, an arrow for SPIN.
    LongArrow,
    /// `/\`
    Wedge,
    /// `\/`
    Vee,
    /// `*/` without a comment, which SPIN skips.
    CommentEnd,
}

/// What is wrong with a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    /// A `"` without its partner on the line.
    UnterminatedString,
    /// A `'` without its partner on the line.
    UnterminatedCharacter,
    /// Characters that no token begins with.
    Stray,
}

impl Odd {
    /// How it is spelled.
    pub fn text(self) -> &'static str {
        match self {
            Odd::LongArrow => "-->",
            Odd::Wedge => "/\\",
            Odd::Vee => "\\/",
            Odd::CommentEnd => "*/",
        }
    }
}

impl Default for Interner {
    fn default() -> Self {
        let mut interner = Interner { texts: Vec::new(), symbols: HashMap::default() };
        for (_, text) in Keyword::ALL {
            interner.intern(text);
        }
        interner
    }
}

impl Interner {
    /// The symbol of a spelling.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Rc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The spelling of a symbol.
    pub fn text(&self, symbol: Symbol) -> &Rc<str> {
        &self.texts[symbol.0 as usize]
    }

    /// The keyword with this spelling.
    pub fn keyword(&self, symbol: Symbol) -> Option<Keyword> {
        Keyword::ALL.get(symbol.0 as usize).map(|(keyword, _)| *keyword)
    }
}

/// Cuts a text into pieces. The only thing said here is that a comment does not end; the rest waits for its use.
pub fn lex(
    text: &str,
    file: FileId,
    interner: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Piece> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        position: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 },
        token_end: 0,
        spliced: false,
        file,
        first_on_line: true,
        after_newline: true,
        after_space: false,
        interner,
        diagnostics,
        pieces: Vec::with_capacity(text.len() / 4),
    };
    lexer.run();
    lexer.pieces
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    /// One past the last byte that was taken: the position may be further, behind a backslash at the end of a line.
    token_end: usize,
    /// The current token is interrupted by a backslash and the end of a line.
    spliced: bool,
    file: FileId,
    first_on_line: bool,
    after_newline: bool,
    after_space: bool,
    interner: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
    pieces: Vec<Piece>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            interrupt::point();
            self.skip_blank();
            self.spliced = false;
            let start = self.position;
            let flags = (self.first_on_line, self.after_newline, self.after_space);
            (self.first_on_line, self.after_newline, self.after_space) = (false, false, false);
            let kind = match self.peek() {
                None => {
                    // A directive ends with the text, and so does the line it stands on.
                    let span = self.span(start, start);
                    self.pieces.push(piece(PieceKind::End, span, (true, true, true)));
                    return;
                }
                Some(byte) => self.token(start, byte),
            };
            let span = self.span(start, self.token_end);
            self.pieces.push(piece(kind, span, flags));
        }
    }

    /// The next byte, behind backslashes at the ends of lines.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.position)?;
            if byte != b'\\' {
                return Some(byte);
            }
            let Some(length) = self.splice_at(self.position) else { return Some(byte) };
            self.position += length;
            self.spliced = true;
            self.after_newline = true;
        }
    }

    /// The length of a backslash, blanks (gcc allows them) and the end of the line.
    fn splice_at(&self, position: usize) -> Option<usize> {
        let rest = &self.bytes[position + 1..];
        let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
        (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 2)
    }

    fn bump(&mut self) {
        self.position += 1;
        self.token_end = self.position;
    }

    /// Takes the next byte if it is this one.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.bump();
        }
        found
    }

    /// The byte behind the next one, if no line ends between them.
    fn second(&self) -> Option<u8> {
        self.bytes.get(self.position + 1).copied()
    }

    fn skip_blank(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.position += 1;
                    self.first_on_line = true;
                    self.after_newline = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.position += 1,
                b'/' if !self.skip_comment() => return,
                b'/' => {}
                _ => return,
            }
            self.after_space = true;
        }
    }

    /// Skips a comment if one begins here.
    fn skip_comment(&mut self) -> bool {
        let start = self.position;
        self.position += 1;
        match self.peek() {
            Some(b'/') => {
                while self.peek().is_some_and(|b| b != b'\n') {
                    self.position += 1;
                }
                true
            }
            Some(b'*') => {
                self.position += 1;
                self.skip_block_comment(start);
                true
            }
            _ => {
                self.position = start;
                false
            }
        }
    }

    fn skip_block_comment(&mut self, start: usize) {
        loop {
            match self.peek() {
                None => {
                    let diagnostic = Diagnostic::error(
                        codes::UNTERMINATED_COMMENT,
                        self.span(start, start + 2),
                        "this comment does not end",
                    )
                    .with_label("the comment begins here")
                    .with_help("close it with `*/`");
                    self.diagnostics.push(diagnostic);
                    return;
                }
                Some(b'*') => {
                    self.position += 1;
                    if self.peek() == Some(b'/') {
                        self.position += 1;
                        return;
                    }
                }
                Some(byte) => {
                    self.after_newline |= byte == b'\n';
                    self.position += 1;
                }
            }
        }
    }

    fn token(&mut self, start: usize, byte: u8) -> PieceKind {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.take_word();
                PieceKind::Name(self.intern(start))
            }
            b'0'..=b'9' => {
                self.take_word();
                PieceKind::Number(self.intern(start))
            }
            b'"' => self.literal(start, b'"', PieceKind::String, Bad::UnterminatedString),
            b'\'' => self.literal(start, b'\'', PieceKind::Character, Bad::UnterminatedCharacter),
            b'#' => {
                self.bump();
                if self.eat(b'#') { PieceKind::HashHash } else { PieceKind::Hash }
            }
            _ => self.operator(byte),
        }
    }

    fn take_word(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.bump();
        }
    }

    fn literal(&mut self, start: usize, quote: u8, good: fn(Symbol) -> PieceKind, bad: Bad) -> PieceKind {
        self.bump();
        loop {
            match self.peek() {
                None | Some(b'\n') => return PieceKind::Bad(bad),
                Some(b'\\') => {
                    self.bump();
                    if self.peek().is_some_and(|b| b != b'\n') {
                        self.bump();
                    }
                }
                Some(byte) => {
                    self.bump();
                    if byte == quote {
                        return good(self.intern(start));
                    }
                }
            }
        }
    }

    fn operator(&mut self, byte: u8) -> PieceKind {
        self.bump();
        let punct = match byte {
            b'(' => Punct::LeftParen,
            b')' => Punct::RightParen,
            b'{' => Punct::LeftBrace,
            b'}' => Punct::RightBrace,
            b'[' if self.eat(b']') => Punct::AlwaysBox,
            b'[' => Punct::LeftBracket,
            b']' => Punct::RightBracket,
            b',' => Punct::Comma,
            b';' => Punct::Semicolon,
            b':' if self.eat(b':') => Punct::DoubleColon,
            b':' => Punct::Colon,
            b'.' if self.eat(b'.') => {
                if self.eat(b'.') {
                    return PieceKind::Ellipsis;
                }
                Punct::DotDot
            }
            b'.' => Punct::Dot,
            b'@' => Punct::At,
            b'=' if self.eat(b'=') => Punct::Equal,
            b'=' => Punct::Assign,
            b'!' if self.eat(b'=') => Punct::NotEqual,
            b'!' if self.eat(b'!') => Punct::BangBang,
            b'!' => Punct::Bang,
            b'?' if self.eat(b'?') => Punct::QuestionQuestion,
            b'?' => Punct::Question,
            b'<' if self.eat(b'<') => Punct::ShiftLeft,
            b'<' if self.eat(b'=') => Punct::LessEqual,
            b'<' if self.eat(b'>') => Punct::EventuallyDiamond,
            b'<' if self.peek() == Some(b'-') && self.second() == Some(b'>') => {
                self.bump();
                self.bump();
                Punct::DoubleArrow
            }
            b'<' => Punct::Less,
            b'>' if self.eat(b'>') => Punct::ShiftRight,
            b'>' if self.eat(b'=') => Punct::GreaterEqual,
            b'>' => Punct::Greater,
            b'+' if self.eat(b'+') => Punct::PlusPlus,
            b'+' => Punct::Plus,
            b'-' if self.eat(b'>') => Punct::Arrow,
            b'-' if self.eat(b'-') => {
                if self.eat(b'>') {
                    return PieceKind::Odd(Odd::LongArrow);
                }
                Punct::MinusMinus
            }
            b'-' => Punct::Minus,
            b'*' if self.peek() == Some(b'/') && !matches!(self.second(), Some(b'*' | b'/')) => {
                self.bump();
                return PieceKind::Odd(Odd::CommentEnd);
            }
            b'*' => Punct::Star,
            b'/' if self.eat(b'\\') => return PieceKind::Odd(Odd::Wedge),
            b'/' => Punct::Slash,
            b'\\' if self.eat(b'/') => return PieceKind::Odd(Odd::Vee),
            b'%' => Punct::Percent,
            b'~' => Punct::Tilde,
            b'^' => Punct::Caret,
            b'&' if self.eat(b'&') => Punct::AndAnd,
            b'&' => Punct::Ampersand,
            b'|' if self.eat(b'|') => Punct::OrOr,
            b'|' => Punct::Pipe,
            _ => {
                // A run of strange characters is one complaint; the rest of a character of several bytes belongs to it.
                while self.peek().is_some_and(is_stray) {
                    self.bump();
                }
                return PieceKind::Bad(Bad::Stray);
            }
        };
        PieceKind::Punct(punct)
    }

    fn intern(&mut self, start: usize) -> Symbol {
        let text = &self.text[start..self.token_end];
        if self.spliced && text.contains('\n') {
            let joined = self.without_splices(start, self.token_end);
            self.interner.intern(&joined)
        } else {
            self.interner.intern(text)
        }
    }

    fn without_splices(&self, start: usize, end: usize) -> String {
        let mut joined = String::with_capacity(end - start);
        let mut kept = start;
        let mut position = start;
        while position < end {
            match if self.bytes[position] == b'\\' { self.splice_at(position) } else { None } {
                Some(length) => {
                    joined.push_str(&self.text[kept..position]);
                    position += length;
                    kept = position;
                }
                None => position += 1,
            }
        }
        joined.push_str(&self.text[kept..end]);
        joined
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, expansion: ExpansionId::NONE, start: start as u32, end: end as u32 }
    }
}

fn piece(kind: PieceKind, span: Span, flags: (bool, bool, bool)) -> Piece {
    let (first_on_line, after_newline, after_space) = flags;
    Piece { kind, span, first_on_line, after_newline, after_space, painted: false }
}

/// Characters that no token begins with, except the backslash, which may begin `\/`.
fn is_stray(byte: u8) -> bool {
    !byte.is_ascii()
        || matches!(byte, b'$' | b'`')
        || (byte.is_ascii_control() && !byte.is_ascii_whitespace() && byte != 0x0b)
}
