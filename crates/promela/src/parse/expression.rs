//! Expressions and temporal formulas, with the precedences of SPIN's grammar.

use super::{NameClass, Parsed, Parser};
use crate::ast::{
    ChannelQuery, Expr, ExprKind, Name, ReceiveArgument, Reference, ReferencePart, TemporalBinary,
    TemporalUnary,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::{BinaryOp, UnaryOp};
use crate::source::Span;
use crate::token::{Keyword, Punct, TokenKind};

/// Higher trees are refused: everything that walks an expression recurses.
const HIGHEST_TREE: u16 = 1000;

#[derive(Clone, Copy)]
enum Infix {
    Plain(BinaryOp),
    Temporal(TemporalBinary),
}

impl Parser<'_> {
    /// An expression in which `full`, `empty`, `nfull` and `nempty` may not occur: SPIN's `expr`.
    pub(super) fn expression(&mut self) -> Expr {
        let expr = self.full_expression();
        self.without_probe(&expr);
        expr
    }

    /// SPIN's `full_expr`.
    pub(super) fn full_expression(&mut self) -> Expr {
        self.binary(0)
    }

    /// Continues an expression of which the first operand is already read.
    pub(super) fn full_expression_from(&mut self, first: Expr) -> Expr {
        self.binary_from(first, 0)
    }

    fn binary(&mut self, least: u8) -> Expr {
        let first = self.unary();
        self.binary_from(first, least)
    }

    fn binary_from(&mut self, mut left: Expr, least: u8) -> Expr {
        loop {
            let Some((operator, precedence)) = self.infix() else { return left };
            if precedence < least {
                return left;
            }
            let token = self.stream.next();
            // All of SPIN's binary operators group to the left.
            let right = self.binary(precedence + 1);
            let span = self.join(left.span, right.span);
            let height = left.height.max(right.height).saturating_add(1);
            if height > HIGHEST_TREE {
                if !self.refused {
                    self.refused = true;
                    self.report(Diagnostic::error(
                        codes::NESTED_TOO_DEEPLY,
                        token.span,
                        "this expression is too long",
                    ));
                }
                left = error_at(span);
                continue;
            }
            let (kind, probe) = match operator {
                Infix::Plain(op @ (BinaryOp::And | BinaryOp::Or)) => {
                    let probe = left.probe || right.probe;
                    (ExprKind::Binary(op, Box::new(left), Box::new(right)), probe)
                }
                Infix::Plain(op) => {
                    self.without_probe(&left);
                    self.without_probe(&right);
                    (ExprKind::Binary(op, Box::new(left), Box::new(right)), false)
                }
                Infix::Temporal(op) => {
                    self.without_probe(&left);
                    self.without_probe(&right);
                    (ExprKind::TemporalBinary(op, Box::new(left), Box::new(right)), false)
                }
            };
            left = Expr { kind, span, height, probe };
        }
    }

    fn infix(&mut self) -> Option<(Infix, u8)> {
        use Infix::{Plain, Temporal};
        Some(match self.stream.peek(0).kind {
            TokenKind::Keyword(Keyword::Implies) => (Temporal(TemporalBinary::Implies), 1),
            TokenKind::Keyword(Keyword::Equivalent) => (Temporal(TemporalBinary::Equivalent), 1),
            TokenKind::Keyword(Keyword::Until | Keyword::StrongUntil) => (Temporal(TemporalBinary::Until), 4),
            TokenKind::Keyword(Keyword::WeakUntil) => (Temporal(TemporalBinary::WeakUntil), 4),
            TokenKind::Keyword(Keyword::Release) => (Temporal(TemporalBinary::Release), 4),
            TokenKind::Punct(punct) => match punct {
                Punct::DoubleArrow if self.stream.in_formula => (Temporal(TemporalBinary::Equivalent), 1),
                Punct::OrOr => (Plain(BinaryOp::Or), 2),
                Punct::AndAnd => (Plain(BinaryOp::And), 3),
                Punct::Pipe => (Plain(BinaryOp::BitOr), 5),
                Punct::Caret => (Plain(BinaryOp::BitXor), 6),
                Punct::Ampersand => (Plain(BinaryOp::BitAnd), 7),
                Punct::Equal => (Plain(BinaryOp::Equal), 8),
                Punct::NotEqual => (Plain(BinaryOp::NotEqual), 8),
                Punct::Greater => (Plain(BinaryOp::Greater), 9),
                Punct::Less => (Plain(BinaryOp::Less), 9),
                Punct::GreaterEqual => (Plain(BinaryOp::GreaterEqual), 9),
                Punct::LessEqual => (Plain(BinaryOp::LessEqual), 9),
                Punct::ShiftLeft => (Plain(BinaryOp::ShiftLeft), 10),
                Punct::ShiftRight => (Plain(BinaryOp::ShiftRight), 10),
                Punct::Plus => (Plain(BinaryOp::Add), 11),
                Punct::Minus => (Plain(BinaryOp::Subtract), 11),
                Punct::Star => (Plain(BinaryOp::Multiply), 12),
                Punct::Slash => (Plain(BinaryOp::Divide), 12),
                Punct::Percent => (Plain(BinaryOp::Remainder), 12),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn unary(&mut self) -> Expr {
        if self.deeper().is_err() {
            let span = self.stream.next().span;
            return error_at(span);
        }
        let expr = self.unary_at_depth();
        self.depth -= 1;
        expr
    }

    fn unary_at_depth(&mut self) -> Expr {
        let first = self.stream.peek(0).clone();
        let plain = match first.kind {
            TokenKind::Punct(Punct::Minus) => Some(UnaryOp::Negate),
            TokenKind::Punct(Punct::Tilde) => Some(UnaryOp::Complement),
            TokenKind::Punct(Punct::Bang) => Some(UnaryOp::Not),
            _ => None,
        };
        let temporal = match first.kind {
            TokenKind::Punct(Punct::AlwaysBox) if self.stream.in_formula => Some(TemporalUnary::Always),
            TokenKind::Punct(Punct::EventuallyDiamond) if self.stream.in_formula => {
                Some(TemporalUnary::Eventually)
            }
            TokenKind::Keyword(Keyword::Always) => Some(TemporalUnary::Always),
            TokenKind::Keyword(Keyword::Eventually) => Some(TemporalUnary::Eventually),
            TokenKind::Keyword(Keyword::Next) => Some(TemporalUnary::Next),
            _ => None,
        };
        if plain.is_none() && temporal.is_none() {
            return self.primary().unwrap_or_else(|_| error_at(first.span));
        }
        self.stream.next();
        let operand = self.unary();
        self.without_probe(&operand);
        let span = self.join(first.span, operand.span);
        let height = operand.height.saturating_add(1);
        let operand = Box::new(operand);
        let kind = match (plain, temporal) {
            (Some(op), _) => ExprKind::Unary(op, operand),
            (_, Some(op)) => ExprKind::TemporalUnary(op, operand),
            _ => ExprKind::Error,
        };
        Expr { kind, span, height, probe: false }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let first = self.stream.peek(0).clone();
        let simple = |kind| Expr { kind, span: first.span, height: 0, probe: false };
        match &first.kind {
            TokenKind::Number(value) => {
                self.stream.next();
                Ok(simple(ExprKind::Number(*value)))
            }
            TokenKind::Punct(Punct::LeftParen) => self.parenthesized(),
            TokenKind::Name(name) => match self.class(name) {
                NameClass::Symbol => {
                    self.stream.next();
                    Ok(simple(ExprKind::Symbol(name.clone())))
                }
                NameClass::Proctype => self.remote(),
                NameClass::Plain => {
                    let reference = self.reference()?;
                    self.after_reference(reference)
                }
                NameClass::Type | NameClass::Inline => {
                    let what = if self.class(name) == NameClass::Type { "a type" } else { "an inline" };
                    self.stream.next();
                    self.syntax_errors += 1;
                    let message = format!("expected an expression, but `{name}` is {what}");
                    self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, first.span, message));
                    Err(super::Lost)
                }
            },
            TokenKind::Keyword(keyword) => {
                let keyword = *keyword;
                let constant = match keyword {
                    Keyword::True | Keyword::Skip => Some(ExprKind::Number(1)),
                    Keyword::False => Some(ExprKind::Number(0)),
                    Keyword::Timeout => Some(ExprKind::Timeout),
                    Keyword::Np => Some(ExprKind::NonProgress),
                    _ => None,
                };
                if let Some(kind) = constant {
                    self.stream.next();
                    return Ok(simple(kind));
                }
                match keyword {
                    Keyword::Run => self.run(),
                    Keyword::Len => self.channel_query(ChannelQuery::Len),
                    Keyword::Empty => self.channel_query(ChannelQuery::Empty),
                    Keyword::Nempty => self.channel_query(ChannelQuery::NotEmpty),
                    Keyword::Full => self.channel_query(ChannelQuery::Full),
                    Keyword::Nfull => self.channel_query(ChannelQuery::NotFull),
                    Keyword::Enabled => self.call_with_one(ExprKind::Enabled),
                    Keyword::PcValue => self.call_with_one(ExprKind::PcValue),
                    Keyword::GetPriority => self.call_with_one(ExprKind::GetPriority),
                    Keyword::CExpr => {
                        self.embedded_c();
                        Ok(simple(ExprKind::Error))
                    }
                    _ => self.no_expression(),
                }
            }
            _ => self.no_expression(),
        }
    }

    fn no_expression(&mut self) -> Parsed<Expr> {
        let found = self.stream.peek(0).clone();
        if matches!(found.kind, TokenKind::Keyword(keyword) if super::declaration::is_type_word(keyword)) {
            self.type_as_name(found.span);
            return Err(super::Lost);
        }
        self.unexpected(&found, "an expression");
        Err(super::Lost)
    }

    fn parenthesized(&mut self) -> Parsed<Expr> {
        let open = self.stream.next();
        let inner = self.full_expression();
        let expr = if self.accept(Punct::Arrow).is_some() {
            self.without_probe(&inner);
            let yes = self.expression();
            self.expect(Punct::Colon)?;
            let no = self.expression();
            let height = inner.height.max(yes.height).max(no.height).saturating_add(1);
            let kind = ExprKind::Conditional(Box::new(inner), Box::new(yes), Box::new(no));
            Expr { kind, span: open.span, height, probe: false }
        } else {
            inner
        };
        let close = self.expect(Punct::RightParen)?;
        Ok(Expr { span: self.join(open.span, close.span), ..expr })
    }

    /// `a`, `a[i]`, `a.b[i].c`
    pub(super) fn reference(&mut self) -> Parsed<Reference> {
        let name = self.name("a variable")?;
        let begins = name.span;
        let (first, last) = self.reference_part(name)?;
        let mut reference = Reference { first, rest: Vec::new(), span: self.join(begins, last) };
        while reference.rest.len() < usize::from(HIGHEST_TREE) && self.accept(Punct::Dot).is_some() {
            let name = self.any_name("a field's name")?;
            let (part, last) = self.reference_part(name)?;
            reference.rest.push(part);
            reference.span = self.join(reference.span, last);
        }
        Ok(reference)
    }

    /// A name with its index, and where that ends.
    fn reference_part(&mut self, name: Name) -> Parsed<(ReferencePart, Span)> {
        let mut last = name.span;
        let mut index = None;
        if self.accept(Punct::LeftBracket).is_some() {
            index = Some(Box::new(self.expression()));
            last = self.expect(Punct::RightBracket)?.span;
        }
        Ok((ReferencePart { name, index }, last))
    }

    /// A reference as an expression, or a poll of it.
    pub(super) fn after_reference(&mut self, reference: Reference) -> Parsed<Expr> {
        let random = match self.stream.peek(0).kind {
            TokenKind::Punct(Punct::Question) => false,
            TokenKind::Punct(Punct::QuestionQuestion) => true,
            _ => {
                let span = reference.span;
                let height = reference_height(&reference);
                return Ok(Expr { kind: ExprKind::Reference(reference), span, height, probe: false });
            }
        };
        self.stream.next();
        self.expect(Punct::LeftBracket)?;
        self.poll(reference, random)
    }

    /// What follows `c?[`.
    pub(super) fn poll(&mut self, channel: Reference, random: bool) -> Parsed<Expr> {
        let arguments = self.receive_arguments()?;
        let close = self.expect(Punct::RightBracket)?;
        let span = self.join(channel.span, close.span);
        let height = arguments.iter().map(argument_height).max().unwrap_or(0).max(reference_height(&channel));
        let height = height.saturating_add(1);
        Ok(Expr { kind: ExprKind::Poll { channel, random, arguments }, span, height, probe: false })
    }

    pub(super) fn receive_arguments(&mut self) -> Parsed<Vec<ReceiveArgument>> {
        let mut arguments = Vec::new();
        self.deeper()?;
        let result = self.receive_arguments_into(&mut arguments);
        self.depth -= 1;
        result.map(|()| arguments)
    }

    fn receive_arguments_into(&mut self, arguments: &mut Vec<ReceiveArgument>) -> Parsed<()> {
        loop {
            if self.accept(Punct::LeftParen).is_some() {
                arguments.extend(self.receive_arguments()?);
                self.expect(Punct::RightParen)?;
                return Ok(());
            }
            arguments.push(self.receive_argument()?);
            if self.accept(Punct::LeftParen).is_some() {
                arguments.extend(self.receive_arguments()?);
                self.expect(Punct::RightParen)?;
                return Ok(());
            }
            if self.accept(Punct::Comma).is_none() {
                return Ok(());
            }
        }
    }

    fn receive_argument(&mut self) -> Parsed<ReceiveArgument> {
        let first = self.stream.peek(0).clone();
        let constant = |kind, span| ReceiveArgument::Constant(Expr { kind, span, height: 0, probe: false });
        match &first.kind {
            TokenKind::Keyword(Keyword::Eval) => {
                self.stream.next();
                self.expect(Punct::LeftParen)?;
                let value = self.expression();
                self.expect(Punct::RightParen)?;
                Ok(ReceiveArgument::Eval(value))
            }
            TokenKind::Punct(Punct::Minus) => {
                self.stream.next();
                let (value, span) = self.number("a number")?;
                Ok(constant(ExprKind::Number(value.wrapping_neg()), self.join(first.span, span)))
            }
            TokenKind::Name(name) if self.class(name) == NameClass::Symbol => {
                self.stream.next();
                Ok(constant(ExprKind::Symbol(name.clone()), first.span))
            }
            TokenKind::Name(_) => Ok(ReceiveArgument::Reference(self.reference()?)),
            _ => {
                let (value, span) = self.number("a variable, a constant or `eval(…)`")?;
                Ok(constant(ExprKind::Number(value), span))
            }
        }
    }

    /// Expressions between commas, up to a closing parenthesis that is not taken.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = vec![self.expression()];
        while self.accept(Punct::Comma).is_some() {
            arguments.push(self.expression());
        }
        Ok(arguments)
    }

    fn run(&mut self) -> Parsed<Expr> {
        let word = self.stream.next();
        let name = self.any_name("the name of a proctype")?;
        self.expect(Punct::LeftParen)?;
        let mut arguments = Vec::new();
        if !self.stream.peek(0).is(Punct::RightParen) {
            arguments = self.arguments()?;
        }
        let close = self.expect(Punct::RightParen)?;
        let priority = self.priority()?;
        let height = arguments.iter().map(|a| a.height).max().unwrap_or(0).saturating_add(1);
        let span = self.join(word.span, close.span);
        Ok(Expr { kind: ExprKind::Run { name, arguments, priority }, span, height, probe: false })
    }

    fn channel_query(&mut self, query: ChannelQuery) -> Parsed<Expr> {
        let word = self.stream.next();
        self.expect(Punct::LeftParen)?;
        let channel = self.reference()?;
        let close = self.expect(Punct::RightParen)?;
        let span = self.join(word.span, close.span);
        Ok(Expr {
            kind: ExprKind::Channel(query, channel),
            span,
            height: 1,
            probe: query != ChannelQuery::Len,
        })
    }

    fn call_with_one(&mut self, kind: fn(Box<Expr>) -> ExprKind) -> Parsed<Expr> {
        let word = self.stream.next();
        self.expect(Punct::LeftParen)?;
        let argument = self.expression();
        let close = self.expect(Punct::RightParen)?;
        let height = argument.height.saturating_add(1);
        Ok(Expr {
            kind: kind(Box::new(argument)),
            span: self.join(word.span, close.span),
            height,
            probe: false,
        })
    }

    /// `P@label`, `P[i]@label`, `P[*]@label`, `P:x`, `P[i]:x`
    fn remote(&mut self) -> Parsed<Expr> {
        let proctype = self.any_name("a proctype")?;
        let mut pid = None;
        let mut all = false;
        if self.accept(Punct::LeftBracket).is_some() {
            if self.accept(Punct::Star).is_some() {
                all = true;
            } else {
                pid = Some(Box::new(self.expression()));
            }
            self.expect(Punct::RightBracket)?;
        }
        if self.accept(Punct::At).is_some() {
            let label = self.any_name("a label")?;
            let span = self.join(proctype.span, label.span);
            let height = pid.as_ref().map_or(1, |p| p.height.saturating_add(1));
            return Ok(Expr {
                kind: ExprKind::RemoteLabel { proctype, all, pid, label },
                span,
                height,
                probe: false,
            });
        }
        if all || self.accept(Punct::Colon).is_none() {
            let found = self.stream.peek(0).clone();
            if found.is(Punct::LeftParen) && !all && pid.is_none() {
                let message = format!("`{}` is a proctype: it is not called but started", proctype.text);
                let help = format!("write `run {}(…)`", proctype.text);
                self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, found.span, message).with_help(help));
            }
            // After the words above it says nothing more.
            self.unexpected(&found, "`@` and a label, or `:` and a variable");
            return Err(super::Lost);
        }
        let variable: Name = self.any_name("a variable")?;
        let mut span = self.join(proctype.span, variable.span);
        let mut index = None;
        if self.accept(Punct::LeftBracket).is_some() {
            index = Some(Box::new(self.expression()));
            let close = self.expect(Punct::RightBracket)?.span;
            span = self.join(span, close);
        }
        let height = pid.iter().chain(&index).map(|e| e.height).max().unwrap_or(0).saturating_add(1);
        Ok(Expr {
            kind: ExprKind::RemoteVariable { proctype, pid, variable, index },
            span,
            height,
            probe: false,
        })
    }

    fn without_probe(&mut self, expr: &Expr) {
        if !expr.probe {
            return;
        }
        self.report(
            Diagnostic::error(
                codes::PROBE_IN_EXPRESSION,
                expr.span,
                "`full`, `empty`, `nfull` and `nempty` can only be combined with `&&` and `||`",
            )
            .with_help("`nfull` is the negation of `full`, `nempty` that of `empty`; elsewhere use `len`"),
        );
    }
}

fn reference_height(reference: &Reference) -> u16 {
    let index = reference.parts().filter_map(|p| p.index.as_ref()).map(|i| i.height).max().unwrap_or(0);
    index.saturating_add(1)
}

fn argument_height(argument: &ReceiveArgument) -> u16 {
    match argument {
        ReceiveArgument::Reference(reference) => reference_height(reference),
        ReceiveArgument::Eval(expr) | ReceiveArgument::Constant(expr) => expr.height,
    }
}

pub(super) fn error_at(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span, height: 0, probe: false }
}
