//! The last step: a preprocessing token that survived everything becomes a token of Promela, or an error.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Bad, Interner, Odd, Piece, PieceKind, Symbol};
use crate::source::{SourceMap, Span};
use crate::token::{Punct, Token, TokenKind};

/// Appends what `piece` is in Promela.
pub fn convert(
    piece: &Piece,
    starts_line: bool,
    interner: &mut Interner,
    sources: &SourceMap,
    tokens: &mut Vec<Token>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let span = piece.span;
    let mut push = |kind| tokens.push(Token { kind, span, starts_line });
    match piece.kind {
        PieceKind::Name(symbol) => push(word(symbol, interner)),
        PieceKind::Punct(punct) => push(TokenKind::Punct(punct)),
        PieceKind::String(symbol) => {
            let text = interner.text(symbol);
            push(TokenKind::String(text[1..text.len() - 1].into()));
        }
        PieceKind::Character(symbol) => push(TokenKind::Number(character(interner.text(symbol), span, diagnostics))),
        PieceKind::Number(symbol) => number(symbol, span, starts_line, interner, tokens, diagnostics),
        PieceKind::Ellipsis => {
            // SPIN reads two dots and one.
            push(TokenKind::Punct(Punct::DotDot));
            push(TokenKind::Punct(Punct::Dot));
        }
        PieceKind::Odd(odd) => {
            if let Some(punct) = self::odd(odd, span, diagnostics) {
                push(TokenKind::Punct(punct));
            }
        }
        PieceKind::Hash | PieceKind::HashHash => diagnostics.push(
            Diagnostic::error(codes::STRAY_CHARACTER, span, "`#` stands where no directive can begin")
                .with_help("a directive must be the first thing on its line; inside a macro, `#` needs a parameter behind it"),
        ),
        PieceKind::Bad(bad) => {
            diagnostics.push(self::bad(bad, span, sources));
            // What follows reads better with a literal in the place of the broken one.
            match bad {
                Bad::UnterminatedString => push(TokenKind::String("".into())),
                Bad::UnterminatedCharacter => push(TokenKind::Number(0)),
                Bad::Stray => {}
            }
        }
        PieceKind::Placemarker | PieceKind::End => {}
    }
}

fn word(symbol: Symbol, interner: &Interner) -> TokenKind {
    match interner.keyword(symbol) {
        Some(keyword) => TokenKind::Keyword(keyword),
        None => TokenKind::Name(interner.text(symbol).clone()),
    }
}

/// The value of `'a'`; as for SPIN, only `n`, `r`, `t` and `f` mean something else behind a backslash.
fn character(text: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) -> i32 {
    match &text.as_bytes()[1..text.len() - 1] {
        [byte] => i32::from(*byte),
        [b'\\', b'n'] => i32::from(b'\n'),
        [b'\\', b'r'] => i32::from(b'\r'),
        [b'\\', b't'] => i32::from(b'\t'),
        [b'\\', b'f'] => 0x0c,
        [b'\\', byte] => i32::from(*byte),
        other => {
            let message = if other.is_empty() {
                "this character constant is empty".to_owned()
            } else {
                format!("`{text}` is not one character")
            };
            diagnostics.push(Diagnostic::error(codes::BAD_CHARACTER_CONSTANT, span, message).with_help(
                "write one character, such as 'a' or '\\n'; symbolic names are declared with `mtype`",
            ));
            0
        }
    }
}

fn number(
    symbol: Symbol,
    span: Span,
    starts_line: bool,
    interner: &mut Interner,
    tokens: &mut Vec<Token>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let text = interner.text(symbol).clone();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, letters) = text.split_at(digits);
    let value = digits
        .bytes()
        .try_fold(0i64, |value, digit| value.checked_mul(10)?.checked_add(i64::from(digit - b'0')));
    let is_hexadecimal = digits == "0" && letters.starts_with(['x', 'X']) && letters.len() > 1;
    if is_hexadecimal {
        let value = u32::from_str_radix(&letters[1..], 16).ok();
        let help = match value {
            Some(value) => format!("write {}", value as i32),
            None => "write the number in decimal".to_owned(),
        };
        diagnostics.push(
            Diagnostic::error(
                codes::NOT_DECIMAL,
                span,
                format!("`{text}`: Promela has only decimal numbers"),
            )
            .with_help(help),
        );
        let kind = TokenKind::Number(value.unwrap_or(0) as i32);
        tokens.push(Token { kind, span, starts_line });
        return;
    }
    // SPIN's strtol stops at the largest long, whose low half is -1.
    let wrapped = value.unwrap_or(i64::MAX) as i32;
    if value != Some(i64::from(wrapped)) {
        diagnostics.push(
            Diagnostic::warning(
                codes::NUMBER_TOO_LARGE,
                span,
                format!("`{digits}` does not fit into 32 bits"),
            )
            .with_label(format!("read as {wrapped}, as SPIN does")),
        );
    }
    if digits.len() > 1 && digits.starts_with('0') && letters.is_empty() {
        diagnostics.push(
            Diagnostic::warning(codes::LEADING_ZERO, span, format!("`{digits}` is a decimal number here"))
                .with_label(format!("this is {wrapped}"))
                .with_help("leave out the leading zeros"),
        );
    }
    tokens.push(Token { kind: TokenKind::Number(wrapped), span: head(span, digits.len()), starts_line });
    if !letters.is_empty() {
        diagnostics.push(
            Diagnostic::warning(
                codes::NUMBER_WITH_LETTERS,
                span,
                format!("`{letters}` stands directly behind a number"),
            )
            .with_help(format!("write `{digits} {letters}` if both are meant")),
        );
        let symbol = interner.intern(letters);
        tokens.push(Token {
            kind: word(symbol, interner),
            span: tail(span, digits.len()),
            starts_line: false,
        });
    }
}

fn odd(odd: Odd, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Option<Punct> {
    let (punct, diagnostic) = match odd {
        Odd::LongArrow => (
            Some(Punct::Arrow),
            Diagnostic::warning(codes::LONG_ARROW, span, "SPIN reads `-->` as `->`")
                .with_help("write `->`, or `-- >` if a decrement and a comparison are meant"),
        ),
        Odd::Wedge => (
            Some(Punct::AndAnd),
            Diagnostic::warning(codes::FORMULA_OPERATOR, span, "SPIN rejects `/\\` in the text of a model")
                .with_help("write `&&`"),
        ),
        Odd::Vee => (
            Some(Punct::OrOr),
            Diagnostic::warning(codes::FORMULA_OPERATOR, span, "SPIN rejects `\\/` in the text of a model")
                .with_help("write `||`"),
        ),
        Odd::CommentEnd => (
            None,
            Diagnostic::warning(codes::STRAY_COMMENT_END, span, "`*/` without a comment that it could end")
                .with_help("comments do not nest: the first `*/` ended the comment"),
        ),
    };
    diagnostics.push(diagnostic);
    punct
}

fn bad(bad: Bad, span: Span, sources: &SourceMap) -> Diagnostic {
    match bad {
        Bad::UnterminatedString => {
            Diagnostic::error(codes::UNTERMINATED_STRING, span, "this string does not end on its line")
                .with_help("close it with `\"`; a quote inside a string is written `\\\"`")
        }
        Bad::UnterminatedCharacter => {
            Diagnostic::error(codes::BAD_CHARACTER_CONSTANT, span, "this character constant does not end")
                .with_help("write one character between two quotes, such as 'a'")
        }
        Bad::Stray => {
            let text = sources.text(span);
            let shown: String = text.chars().take(8).flat_map(char::escape_debug).collect();
            Diagnostic::error(codes::STRAY_CHARACTER, span, format!("`{shown}` begins no token of Promela"))
        }
    }
}

fn head(span: Span, length: usize) -> Span {
    Span { end: span.end.min(span.start + length as u32), ..span }
}

fn tail(span: Span, length: usize) -> Span {
    Span { start: span.end.min(span.start + length as u32), ..span }
}
