//! Parenthesised lists of words: the syntax of the text form.

use std::fmt;

/// A word, a quoted text, or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Sexp {
    Word(String),
    Text(String),
    List(Vec<Sexp>),
}

impl Sexp {
    pub fn word(text: impl ToString) -> Sexp {
        Sexp::Word(text.to_string())
    }
}

impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexp::Word(word) => write!(f, "{word}"),
            Sexp::Text(text) => {
                write!(f, "\"")?;
                for c in text.chars() {
                    match c {
                        '"' => write!(f, "\\\"")?,
                        '\\' => write!(f, "\\\\")?,
                        '\n' => write!(f, "\\n")?,
                        c => write!(f, "{c}")?,
                    }
                }
                write!(f, "\"")
            }
            Sexp::List(items) => {
                write!(f, "(")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        write!(f, " ")?;
                    }
                    write!(f, "{item}")?;
                }
                write!(f, ")")
            }
        }
    }
}

/// Deeper nesting than this is refused rather than risking the stack.
const DEEPEST: usize = 500;

/// Reads all expressions of a text. The error is a line number and what is wrong.
pub(super) fn parse(text: &str) -> Result<Vec<(usize, Sexp)>, (usize, String)> {
    let mut reader = Reader { chars: text.chars().peekable(), line: 1 };
    let mut out = Vec::new();
    while reader.skip_blanks() {
        let line = reader.line;
        out.push((line, reader.expression(0)?));
    }
    Ok(out)
}

struct Reader<'t> {
    chars: std::iter::Peekable<std::str::Chars<'t>>,
    line: usize,
}

impl Reader<'_> {
    /// Whether anything follows blanks and comments.
    fn skip_blanks(&mut self) -> bool {
        while let Some(&c) = self.chars.peek() {
            match c {
                '\n' => self.line += 1,
                ';' => {
                    while self.chars.next_if(|&c| c != '\n').is_some() {}
                    continue;
                }
                c if c.is_whitespace() => {}
                _ => return true,
            }
            self.chars.next();
        }
        false
    }

    fn expression(&mut self, depth: usize) -> Result<Sexp, (usize, String)> {
        if depth > DEEPEST {
            return Err((self.line, "nested too deeply".to_string()));
        }
        match self.chars.next() {
            Some('(') => {
                let mut items = Vec::new();
                loop {
                    if !self.skip_blanks() {
                        return Err((self.line, "a `)` is missing".to_string()));
                    }
                    if self.chars.peek() == Some(&')') {
                        self.chars.next();
                        return Ok(Sexp::List(items));
                    }
                    items.push(self.expression(depth + 1)?);
                }
            }
            Some('"') => self.quoted(),
            Some(')') => Err((self.line, "a `)` without `(`".to_string())),
            Some(first) => {
                let mut word = String::from(first);
                while let Some(&c) = self.chars.peek() {
                    if c.is_whitespace() || c == '(' || c == ')' || c == '"' {
                        break;
                    }
                    word.push(c);
                    self.chars.next();
                }
                Ok(Sexp::Word(word))
            }
            None => Err((self.line, "an expression is missing".to_string())),
        }
    }

    fn quoted(&mut self) -> Result<Sexp, (usize, String)> {
        let mut text = String::new();
        loop {
            match self.chars.next() {
                None => return Err((self.line, "a `\"` is missing".to_string())),
                Some('"') => return Ok(Sexp::Text(text)),
                Some('\\') => match self.chars.next() {
                    Some('n') => text.push('\n'),
                    Some(c) => text.push(c),
                    None => return Err((self.line, "a `\"` is missing".to_string())),
                },
                Some(c) => {
                    if c == '\n' {
                        self.line += 1;
                    }
                    text.push(c);
                }
            }
        }
    }
}
