//! The value of the expression of `#if` and `#elif`: C's constant expressions in 64 bits, signed unless a number says
//! otherwise.
//!
//! Operands that C does not evaluate (behind `0 &&`, say) are parsed with [`Mode::Skip`], in which dividing by zero is no
//! mistake.

use crate::lexer::{Interner, Odd, Piece, PieceKind};
use crate::source::Span;
use crate::token::Punct;

/// Parentheses, signs and `?:` inside each other.
const MAX_DEPTH: usize = 200;

/// Why an expression has no value.
#[derive(Debug)]
pub struct Problem {
    /// Where; `None` is behind the last piece.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
}

/// Is the expression different from zero? Macros are expanded already and `defined` is replaced.
pub fn evaluate(pieces: &[Piece], interner: &Interner) -> Result<bool, Problem> {
    let mut parser = Parser { pieces, interner, next: 0, depth: 0 };
    if pieces.is_empty() {
        return Err(parser.problem_here("this condition is empty"));
    }
    let value = parser.comma(Mode::Evaluate)?;
    match pieces.get(parser.next) {
        None => Ok(value.bits != 0),
        Some(piece) if piece.kind == PieceKind::Punct(Punct::RightParen) => {
            Err(parser.problem_here("this `)` has no opening `(`"))
        }
        Some(_) => Err(parser.problem_here("expected an operator here")),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Evaluate,
    Skip,
}

#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn signed(bits: i64) -> Self {
        Value { bits, unsigned: false }
    }

    fn truth(value: bool) -> Self {
        Value::signed(i64::from(value))
    }
}

struct Parser<'a> {
    pieces: &'a [Piece],
    interner: &'a Interner,
    next: usize,
    depth: usize,
}

impl Parser<'_> {
    fn comma(&mut self, mode: Mode) -> Result<Value, Problem> {
        let mut value = self.conditional(mode)?;
        while self.eat(Punct::Comma) {
            value = self.conditional(mode)?;
        }
        Ok(value)
    }

    fn conditional(&mut self, mode: Mode) -> Result<Value, Problem> {
        self.enter()?;
        let condition = self.binary(0, mode)?;
        let result = if self.eat(Punct::Question) {
            let chosen = condition.bits != 0;
            let first = self.comma(if chosen { mode } else { Mode::Skip })?;
            if !self.eat(Punct::Colon) {
                return Err(self.problem_here("expected the `:` of `? :`"));
            }
            let second = self.conditional(if chosen { Mode::Skip } else { mode })?;
            let picked = if chosen { first } else { second };
            Value { bits: picked.bits, unsigned: first.unsigned || second.unsigned }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    /// Operators that bind at least as tightly as `least`, from the left.
    fn binary(&mut self, least: u8, mode: Mode) -> Result<Value, Problem> {
        let mut left = self.unary(mode)?;
        while let Some((operator, tightness)) = self.operator().filter(|(_, tightness)| *tightness >= least) {
            let at = self.pieces[self.next].span;
            self.next += 1;
            let needed = match operator {
                Punct::AndAnd => left.bits != 0,
                Punct::OrOr => left.bits == 0,
                _ => true,
            };
            let right = self.binary(tightness + 1, if needed { mode } else { Mode::Skip })?;
            left = match operator {
                Punct::AndAnd => Value::truth(left.bits != 0 && right.bits != 0),
                Punct::OrOr => Value::truth(left.bits != 0 || right.bits != 0),
                _ => match arithmetic(operator, left, right) {
                    Some(value) => value,
                    None if mode == Mode::Skip => Value::signed(0),
                    None => {
                        return Err(Problem {
                            span: Some(at),
                            message: "division by zero in a condition".into(),
                        });
                    }
                },
            };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(Punct, u8)> {
        let PieceKind::Punct(punct) = self.pieces.get(self.next)?.kind else { return None };
        let tightness = match punct {
            Punct::OrOr => 1,
            Punct::AndAnd => 2,
            Punct::Pipe => 3,
            Punct::Caret => 4,
            Punct::Ampersand => 5,
            Punct::Equal | Punct::NotEqual => 6,
            Punct::Less | Punct::LessEqual | Punct::Greater | Punct::GreaterEqual => 7,
            Punct::ShiftLeft | Punct::ShiftRight => 8,
            Punct::Plus | Punct::Minus => 9,
            Punct::Star | Punct::Slash | Punct::Percent => 10,
            _ => return None,
        };
        Some((punct, tightness))
    }

    fn unary(&mut self, mode: Mode) -> Result<Value, Problem> {
        self.enter()?;
        let Some(piece) = self.pieces.get(self.next).copied() else {
            return Err(self.problem_here("the condition ends where a value is expected"));
        };
        self.next += 1;
        let value = match piece.kind {
            PieceKind::Punct(Punct::Bang) => Value::truth(self.unary(mode)?.bits == 0),
            // Two tokens for C, one for Promela.
            PieceKind::Punct(Punct::BangBang) => Value::truth(self.unary(mode)?.bits != 0),
            PieceKind::Punct(Punct::Tilde) => {
                let operand = self.unary(mode)?;
                Value { bits: !operand.bits, ..operand }
            }
            PieceKind::Punct(Punct::Minus) => {
                let operand = self.unary(mode)?;
                Value { bits: operand.bits.wrapping_neg(), ..operand }
            }
            PieceKind::Punct(Punct::Plus) => self.unary(mode)?,
            PieceKind::Punct(Punct::LeftParen) => {
                let inner = self.comma(mode)?;
                if !self.eat(Punct::RightParen) {
                    return Err(Problem {
                        span: Some(piece.span),
                        message: "this `(` has no closing `)`".into(),
                    });
                }
                inner
            }
            PieceKind::Number(symbol) => match number(self.interner.text(symbol)) {
                Some(value) => value,
                None => {
                    let message = format!("`{}` is no whole number", self.interner.text(symbol));
                    return Err(Problem { span: Some(piece.span), message });
                }
            },
            PieceKind::Character(symbol) => match character(self.interner.text(symbol)) {
                Some(value) => Value::signed(value),
                None => {
                    return Err(Problem {
                        span: Some(piece.span),
                        message: "this is not one character".into(),
                    });
                }
            },
            // C: a name that is no macro is 0.
            PieceKind::Name(_) => Value::signed(0),
            PieceKind::String(_) => {
                return Err(Problem {
                    span: Some(piece.span),
                    message: "a string has no value in a condition".into(),
                });
            }
            PieceKind::Punct(Punct::Assign) => {
                return Err(Problem {
                    span: Some(piece.span),
                    message: "a condition compares with `==`".into(),
                });
            }
            PieceKind::Odd(Odd::LongArrow) | PieceKind::Punct(_) => {
                return Err(Problem { span: Some(piece.span), message: "expected a value here".into() });
            }
            _ => {
                return Err(Problem {
                    span: Some(piece.span),
                    message: "this cannot stand in a condition".into(),
                });
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.pieces.get(self.next).is_some_and(|piece| piece.kind == PieceKind::Punct(punct));
        self.next += usize::from(found);
        found
    }

    fn enter(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(self.problem_here("this condition is nested too deeply")),
            false => Ok(()),
        }
    }

    fn problem_here(&self, message: &str) -> Problem {
        Problem { span: self.pieces.get(self.next).map(|piece| piece.span), message: message.to_owned() }
    }
}

/// `None` for a division by zero.
fn arithmetic(operator: Punct, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let less = if unsigned { (a as u64) < (b as u64) } else { a < b };
    let bits = match operator {
        Punct::Pipe => a | b,
        Punct::Caret => a ^ b,
        Punct::Ampersand => a & b,
        Punct::Equal => return Some(Value::truth(a == b)),
        Punct::NotEqual => return Some(Value::truth(a != b)),
        Punct::Less => return Some(Value::truth(less)),
        Punct::LessEqual => return Some(Value::truth(less || a == b)),
        Punct::Greater => return Some(Value::truth(!less && a != b)),
        Punct::GreaterEqual => return Some(Value::truth(!less)),
        Punct::ShiftLeft => return Some(shift(left, b)),
        Punct::ShiftRight => return Some(shift(left, b.saturating_neg())),
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Star => a.wrapping_mul(b),
        Punct::Slash if unsigned => (a as u64).checked_div(b as u64)? as i64,
        Punct::Percent if unsigned => (a as u64).checked_rem(b as u64)? as i64,
        Punct::Slash if b != 0 => a.wrapping_div(b),
        Punct::Percent if b != 0 => a.wrapping_rem(b),
        _ => return None,
    };
    Some(Value { bits, unsigned })
}

/// To the left, or to the right if the distance is negative, as gcc has it.
fn shift(value: Value, distance: i64) -> Value {
    let bits = match (distance, value.unsigned) {
        (64.., _) => 0,
        (0..64, _) => value.bits << distance,
        (..=-64, true) => 0,
        (..=-64, false) => value.bits >> 63,
        (_, true) => ((value.bits as u64) >> -distance) as i64,
        (_, false) => value.bits >> -distance,
    };
    Value { bits, ..value }
}

/// Decimal, octal, hexadecimal or binary, with C's suffixes.
fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (radix, rest) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let end = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu")
        || (digits.is_empty() && radix != 8)
    {
        return None;
    }
    let bits = if digits.is_empty() { 0 } else { u64::from_str_radix(digits, radix).ok()? };
    Some(Value { bits: bits as i64, unsigned: suffix.contains('u') || bits > i64::MAX as u64 })
}

fn character(text: &str) -> Option<i64> {
    let byte = match &text.as_bytes()[1..text.len() - 1] {
        [byte] => *byte,
        [b'\\', b'n'] => b'\n',
        [b'\\', b't'] => b'\t',
        [b'\\', b'r'] => b'\r',
        [b'\\', b'f'] => 0x0c,
        [b'\\', b'v'] => 0x0b,
        [b'\\', b'a'] => 0x07,
        [b'\\', b'b'] => 0x08,
        [b'\\', b'0'] => 0,
        [b'\\', byte] => *byte,
        _ => return None,
    };
    Some(i64::from(byte))
}
