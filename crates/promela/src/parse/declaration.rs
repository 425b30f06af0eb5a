//! Declarations: types, variables, channels, `typedef`, `mtype`.

use super::{Lost, NameClass, Parsed, Parser};
use crate::ast::{ArrayLength, Declaration, Declarator, Expr, ExprKind, Init, Name, TypeName, Unit};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::Visibility;
use crate::source::Span;
use crate::token::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// The next token begins a declaration.
    pub(super) fn starts_declaration(&mut self) -> bool {
        match &self.stream.peek(0).kind {
            TokenKind::Keyword(keyword) => {
                matches!(keyword, Keyword::Hidden | Keyword::Show | Keyword::Local) || is_type_word(*keyword)
            }
            TokenKind::Name(name) => {
                let name = name.clone();
                self.class(&name) == NameClass::Type
            }
            _ => false,
        }
    }

    /// `mtype = {…}` or `mtype:name = {…}`, or `None` if what comes is an ordinary declaration.
    pub(super) fn mtype_declaration(&mut self) -> Parsed<Option<Unit>> {
        if !self.stream.peek(0).is_keyword(Keyword::Mtype) {
            return Ok(None);
        }
        let is_set = match self.stream.peek(1).kind {
            TokenKind::Punct(Punct::Assign | Punct::LeftBrace) => true,
            TokenKind::Punct(Punct::Colon) => {
                matches!(self.stream.peek(3).kind, TokenKind::Punct(Punct::Assign | Punct::LeftBrace))
            }
            _ => false,
        };
        if !is_set {
            return Ok(None);
        }
        self.stream.next();
        let mut set = None;
        if self.accept(Punct::Colon).is_some() {
            set = Some(self.any_name("the name of the mtype")?);
            // Only plain `mtype` may go without it.
            if self.stream.peek(0).is(Punct::LeftBrace) {
                let found = self.stream.peek(0).clone();
                self.unexpected(&found, "`=`");
            }
        }
        self.accept(Punct::Assign);
        self.expect(Punct::LeftBrace)?;
        let mut names: Vec<Name> = Vec::new();
        loop {
            while self.accept(Punct::Comma).is_some() {}
            if self.stream.peek(0).is(Punct::RightBrace) && !names.is_empty() {
                break;
            }
            let found = self.stream.peek(0).clone();
            let name = self.any_name("a name")?;
            if let Some(first) = self.symbols.get(&name.text).copied() {
                self.report(
                    Diagnostic::error(
                        codes::DECLARED_TWICE,
                        found.span,
                        format!("mtype name `{}` is declared twice", name.text),
                    )
                    .with_related(first, "first declared here"),
                );
                continue;
            }
            self.symbols.insert(name.text.clone(), name.span);
            names.push(name);
        }
        self.expect(Punct::RightBrace)?;
        Ok(Some(Unit::Mtype { set, names }))
    }

    pub(super) fn typedef(&mut self) -> Parsed<()> {
        self.stream.next();
        let name = self.any_name("the type's name")?;
        self.expect(Punct::LeftBrace)?;
        self.stream.in_sequence = true;
        self.initialization = true;
        let mut fields = vec![self.declaration()?];
        while self.accept(Punct::Semicolon).is_some() || self.take_comma_before_type() {
            fields.push(self.declaration()?);
        }
        self.expect(Punct::RightBrace)?;
        self.stream.in_sequence = false;
        if let Some(first) = self.types.insert(name.text.clone(), name.span) {
            self.report(
                Diagnostic::error(
                    codes::DECLARED_TWICE,
                    name.span,
                    format!("typedef `{}` is declared twice", name.text),
                )
                .with_related(first, "first declared here"),
            );
        }
        self.units.push(Unit::Typedef { name, fields });
        Ok(())
    }

    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let first = self.stream.peek(0).clone();
        let mut visibility = Visibility::Plain;
        for (keyword, meaning) in [
            (Keyword::Hidden, Visibility::Hidden),
            (Keyword::Show, Visibility::Show),
            (Keyword::Local, Visibility::Local),
        ] {
            if self.accept_keyword(keyword).is_some() {
                visibility = meaning;
                break;
            }
        }
        if self.stream.peek(0).is_keyword(Keyword::Mtype) && self.stream.peek(1).is(Punct::Assign) {
            let span = self.stream.peek(0).span;
            self.report(Diagnostic::error(
                codes::MTYPE_NOT_GLOBAL,
                span,
                "an mtype declaration must be global",
            ));
            return Err(Lost);
        }
        let type_word = self.stream.peek(0).span;
        let ty = self.type_name()?;
        if matches!(self.stream.peek(0).kind, TokenKind::Punct(punct) if follows_a_name(punct)) {
            self.type_as_name(type_word);
            return Err(Lost);
        }
        let mut variables = vec![self.declarator()?];
        while !self.comma_before_type() && self.accept(Punct::Comma).is_some() {
            variables.push(self.declarator()?);
        }
        let last = variables.last().map_or(first.span, |v| v.name.span);
        Ok(Declaration { visibility, ty, span: self.join(first.anchor, last), variables })
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        let found = self.stream.peek(0).clone();
        let ty = match &found.kind {
            TokenKind::Keyword(Keyword::Mtype) => {
                self.stream.next();
                let mut set = None;
                if self.accept(Punct::Colon).is_some() {
                    set = Some(self.any_name("the name of an mtype")?);
                }
                return Ok(TypeName::Mtype(set));
            }
            TokenKind::Keyword(keyword) if is_type_word(*keyword) => match keyword {
                Keyword::Bit => TypeName::Bit,
                Keyword::Bool => TypeName::Bool,
                Keyword::Byte => TypeName::Byte,
                Keyword::Pid => TypeName::Pid,
                Keyword::Short => TypeName::Short,
                Keyword::Int => TypeName::Int,
                Keyword::Unsigned => TypeName::Unsigned,
                _ => TypeName::Chan,
            },
            TokenKind::Name(name) if self.class(name) == NameClass::Type => {
                TypeName::User(Name { text: name.clone(), span: found.span })
            }
            _ => {
                self.unexpected(&found, "a type");
                return Err(Lost);
            }
        };
        self.stream.next();
        Ok(ty)
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.name("the variable's name")?;
        let mut width = None;
        let mut length = None;
        if let Some(colon) = self.accept(Punct::Colon) {
            match self.stream.peek(0).is(Punct::Assign) {
                true => self.assigned_as_in_pascal(&name.text, colon.span),
                false => width = Some(self.number("the width, a number")?),
            }
        } else if self.accept(Punct::LeftBracket).is_some() {
            let plain = match self.stream.peek(0).kind.clone() {
                TokenKind::Name(text) => self.class(&text) == NameClass::Plain,
                _ => false,
            };
            length = Some(if plain {
                ArrayLength::Variable(self.name("the length")?)
            } else {
                let (value, span) = self.constant()?;
                ArrayLength::Constant(value, span)
            });
            self.expect(Punct::RightBracket)?;
        }
        let in_place = !self.initialization;
        let init = match self.accept(Punct::Assign) {
            None => None,
            Some(_) => self.initializer()?,
        };
        Ok(Declarator { name, width, length, init, in_place })
    }

    /// `None` if it is in error and the variable is there all the same.
    fn initializer(&mut self) -> Parsed<Option<Init>> {
        let first = self.stream.peek(0).clone();
        match first.kind {
            TokenKind::Punct(Punct::LeftBrace) => {
                self.stream.next();
                let mut values = Vec::new();
                loop {
                    let (value, span) = self.number("a number")?;
                    values.push(Expr { kind: ExprKind::Number(value), span, height: 0, probe: false });
                    if self.accept(Punct::Comma).is_none() {
                        break;
                    }
                }
                let last = self.expect(Punct::RightBrace)?;
                Ok(Some(Init::List(values, self.join(first.span, last.span))))
            }
            TokenKind::Punct(Punct::LeftBracket) => {
                self.stream.next();
                let (capacity, _) = self.constant()?;
                self.expect(Punct::RightBracket)?;
                if self.expect_keyword(Keyword::Of).is_err() {
                    return Ok(None);
                }
                let braces = self.accept(Punct::LeftBrace).is_some();
                if !braces {
                    self.fields_without_braces();
                }
                let mut fields = vec![self.field_type()?];
                while self.accept(Punct::Comma).is_some() {
                    fields.push(self.field_type()?);
                }
                if braces {
                    self.expect(Punct::RightBrace)?;
                }
                let span = self.join(first.span, self.stream.taken);
                Ok(Some(Init::Channel { capacity, fields, span }))
            }
            _ => Ok(Some(Init::Expr(self.expression()))),
        }
    }

    fn field_type(&mut self) -> Parsed<TypeName> {
        let span = self.stream.peek(0).span;
        let ty = self.type_name()?;
        if matches!(ty, TypeName::Unsigned) {
            self.report(
                Diagnostic::error(
                    codes::UNSIGNED_FIELD,
                    span,
                    "`unsigned` cannot be the type of a message field",
                )
                .with_help("use `byte`, `short` or `int`"),
            );
        }
        Ok(ty)
    }

    /// A number or a symbolic name's value, with an optional sign only where SPIN's grammar has a constant expression.
    pub(super) fn number(&mut self, what: &str) -> Parsed<(i32, Span)> {
        let found = self.stream.peek(0).clone();
        let value = match &found.kind {
            TokenKind::Number(value) => *value,
            TokenKind::Keyword(Keyword::True | Keyword::Skip) => 1,
            TokenKind::Keyword(Keyword::False) => 0,
            TokenKind::Name(name) if self.class(name) == NameClass::Symbol => self.symbol_value(name),
            _ => {
                self.unexpected(&found, what);
                return Err(Lost);
            }
        };
        self.stream.next();
        Ok((value, found.span))
    }

    /// A constant expression: numbers, `+ - * / %`, parentheses.
    pub(super) fn constant(&mut self) -> Parsed<(i32, Span)> {
        self.deeper()?;
        let result = self.constant_sum();
        self.depth -= 1;
        result
    }

    fn constant_sum(&mut self) -> Parsed<(i32, Span)> {
        let (mut value, mut span) = self.constant_product()?;
        loop {
            let plus = self.accept(Punct::Plus).is_some();
            if !plus && self.accept(Punct::Minus).is_none() {
                return Ok((value, span));
            }
            let (right, last) = self.constant_product()?;
            value = if plus { value.wrapping_add(right) } else { value.wrapping_sub(right) };
            span = self.join(span, last);
        }
    }

    fn constant_product(&mut self) -> Parsed<(i32, Span)> {
        let (mut value, mut span) = self.constant_factor()?;
        loop {
            let next = self.stream.peek(0).clone();
            let punct = match next.kind {
                TokenKind::Punct(punct @ (Punct::Star | Punct::Slash | Punct::Percent)) => punct,
                _ => return Ok((value, span)),
            };
            self.stream.next();
            let (right, last) = self.constant_factor()?;
            span = self.join(span, last);
            value = match punct {
                Punct::Star => value.wrapping_mul(right),
                _ if right == 0 => {
                    self.report(Diagnostic::error(
                        codes::CONSTANT_DIVISION_BY_ZERO,
                        span,
                        "division by zero in a constant",
                    ));
                    return Err(Lost);
                }
                Punct::Slash => value.wrapping_div(right),
                _ => value.wrapping_rem(right),
            };
        }
    }

    fn constant_factor(&mut self) -> Parsed<(i32, Span)> {
        if let Some(minus) = self.accept(Punct::Minus) {
            self.deeper()?;
            let result = self.constant_factor();
            self.depth -= 1;
            let (value, span) = result?;
            return Ok((value.wrapping_neg(), self.join(minus.span, span)));
        }
        if let Some(open) = self.accept(Punct::LeftParen) {
            let (value, _) = self.constant()?;
            let close = self.expect(Punct::RightParen)?;
            return Ok((value, self.join(open.span, close.span)));
        }
        self.number("a constant")
    }

    /// The value that SPIN gives a symbolic name; wanted only where a name stands for a number in a constant.
    fn symbol_value(&self, name: &str) -> i32 {
        let mut counts: Vec<(Option<&str>, i32)> = Vec::new();
        for unit in &self.units {
            let Unit::Mtype { set, names } = unit else { continue };
            let set = set.as_ref().map(|s| &*s.text);
            let index = counts.iter().position(|(s, _)| *s == set).unwrap_or_else(|| {
                counts.push((set, 0));
                counts.len() - 1
            });
            if let Some(position) = names.iter().position(|n| &*n.text == name) {
                return counts[index].1 + (names.len() - position) as i32;
            }
            counts[index].1 += names.len() as i32;
        }
        0
    }
}

/// What stands behind a variable that is used, and never behind a type.
fn follows_a_name(punct: Punct) -> bool {
    matches!(
        punct,
        Punct::Assign
            | Punct::Equal
            | Punct::NotEqual
            | Punct::Less
            | Punct::LessEqual
            | Punct::Greater
            | Punct::GreaterEqual
            | Punct::Plus
            | Punct::PlusPlus
            | Punct::Minus
            | Punct::MinusMinus
            | Punct::Bang
            | Punct::Question
            | Punct::Arrow
            | Punct::AndAnd
            | Punct::OrOr
    )
}

pub(super) fn is_type_word(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Bit
            | Keyword::Bool
            | Keyword::Byte
            | Keyword::Pid
            | Keyword::Short
            | Keyword::Int
            | Keyword::Unsigned
            | Keyword::Mtype
            | Keyword::Chan
    )
}
