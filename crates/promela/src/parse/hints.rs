//! What is said to those who write what other languages have: what would be right, and how to go on so that one mistake is one error.

use super::{Lexeme, NameClass, Parser, statement};
use crate::ast::{ExprKind, StatementKind};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::suggest;
use crate::token::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// `:=`, which other languages assign with.
    pub(super) fn assigned_as_in_pascal(&mut self, variable: &str, colon: Span) {
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, colon, "`:=` is no operator")
                .with_help(format!("`=` assigns: write `{variable} = …`")),
        );
        self.syntax_errors += 1;
    }

    /// What would be right where something else was expected; the first that fits.
    pub(super) fn hint(&mut self, found: &Lexeme, expected: &str) -> Option<String> {
        if self.stream.in_for {
            return Some("write `for (i : FIRST .. LAST) { STATEMENTS }`, and declare `i` before it".into());
        }
        if expected == statement::AN_OPTION {
            let (word, end) = match self.sources.text(self.stream.taken) {
                "do" => ("do", "od"),
                _ => ("if", "fi"),
            };
            let options = ":: CONDITION -> STATEMENTS :: else -> STATEMENTS";
            return Some(format!("every option begins with `::`, as in `{word} {options} {end}`"));
        }
        let said = match &found.kind {
            TokenKind::Punct(Punct::Assign) => match self.operator_before(found.span) {
                Some(operator) if expected == "an expression" => {
                    return Some(format!("Promela has no `{operator}=`: write `x = x {operator} VALUE`"));
                }
                _ => "`=` assigns, and only as a statement; `==` compares",
            },
            TokenKind::Punct(Punct::At) => "what stands before `@` must be the name of a proctype",
            TokenKind::Punct(Punct::AlwaysBox) if expected == "`;`" => {
                "an array has its length between the brackets, as in `int a[3]`"
            }
            TokenKind::Punct(Punct::LeftBracket) if expected == "the variable's name" => {
                "the length stands behind the name, as in `int a[3]`"
            }
            TokenKind::Punct(Punct::PlusPlus | Punct::MinusMinus)
                if matches!(self.stream.peek(1).kind, TokenKind::Name(_)) =>
            {
                "`++` and `--` stand behind the variable, as in `x++`"
            }
            TokenKind::Name(name) if suggest::foreign(name).is_some() => suggest::foreign(name)?,
            TokenKind::Punct(Punct::LeftBrace) if expected == "`=`" => {
                "a set of names with a name of its own is declared as `mtype:NAME = { … }`"
            }
            _ if expected == "`of`" => "write what its messages are made of, as in `[2] of { byte }`",
            _ if expected == "`{`" && self.stream.in_formula => "write `ltl NAME { FORMULA }`",
            _ => return None,
        };
        Some(said.into())
    }

    /// The operator that stands immediately before, as in `x += 1` of other languages.
    pub(super) fn operator_before(&self, span: Span) -> Option<&str> {
        let before = Span { start: span.start.checked_sub(1)?, end: span.start, ..span };
        let operators = ["+", "-", "*", "/", "%", "&", "|", "^"];
        Some(self.sources.text(before)).filter(|text| operators.contains(text))
    }

    /// `G p` and `F p`, which formulas have elsewhere. True if that was said.
    pub(super) fn is_foreign_formula(&mut self, expected: &str) -> bool {
        if !self.stream.in_formula || expected != "`}`" {
            return false;
        }
        let span = self.stream.taken;
        let help = match self.sources.text(span) {
            "G" => "write `[]` or `always`",
            "F" => "write `<>` or `eventually`",
            "R" => "write `V` or `release`",
            _ => return false,
        };
        let message = format!("there is no operator `{}`", self.sources.text(span));
        self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, span, message).with_help(help));
        true
    }

    /// What stands where a name should, if that is a word which can be none. True if that was said.
    pub(super) fn is_reserved(&mut self, found: &Lexeme, expected: &str) -> bool {
        let TokenKind::Keyword(keyword) = found.kind else { return false };
        if super::declaration::is_type_word(keyword) {
            self.type_as_name(found.span);
            return true;
        }
        let message = format!("expected {expected}, but `{}` is a word of the language", keyword.text());
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, found.span, message);
        self.syntax_errors += 1;
        self.report(diagnostic.with_help("choose another name"));
        true
    }

    /// `bit = 1`: every use of the name would be an error of its own, so the message is the same for all, and shown once.
    pub(super) fn type_as_name(&mut self, span: Span) {
        let message = format!("`{}` is a type and cannot be a name", self.sources.text(span));
        self.syntax_errors += 1;
        self.report(Diagnostic::error(codes::TYPE_AS_NAME, span, message).with_help("choose another name"));
    }

    /// A comma, and behind it another type: `byte x, byte y`.
    pub(super) fn comma_before_type(&mut self) -> bool {
        if !self.stream.peek(0).is(Punct::Comma) {
            return false;
        }
        match self.stream.peek(1).kind.clone() {
            TokenKind::Keyword(keyword) => {
                super::declaration::is_type_word(keyword)
                    && matches!(self.stream.peek(2).kind, TokenKind::Name(_))
            }
            TokenKind::Name(name) => self.class(&name) == NameClass::Type,
            _ => false,
        }
    }

    /// Takes the comma of `byte x, byte y` for the semicolon that should be there.
    pub(super) fn take_comma_before_type(&mut self) -> bool {
        if !self.comma_before_type() {
            return false;
        }
        let comma = self.stream.next();
        let found = self.stream.peek(0).clone();
        let message = format!("expected the variable's name, found {}", super::describe(&found.kind));
        self.syntax_errors += 1;
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, found.span, message)
                .with_help("a comma is followed by another name of the same type, a `;` by another type: `byte x; byte y`")
                .with_fix(comma.span, ";"),
        );
        true
    }

    /// `of byte`
    pub(super) fn fields_without_braces(&mut self) {
        let found = self.stream.peek(0).clone();
        let message = format!("expected `{{`, found {}", super::describe(&found.kind));
        self.syntax_errors += 1;
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, found.span, message)
                .with_help("the types of a message stand between braces, as in `[2] of { byte }`"),
        );
    }

    /// A name and an opening parenthesis are a call of something that is not there: says so, and takes what belongs to it. False if the last
    /// step is something else.
    pub(super) fn call_of_nothing(&mut self) -> bool {
        let Some(last) = self.steps.last_mut() else { return false };
        let StatementKind::Condition(condition) = &last.kind else { return false };
        let ExprKind::Reference(reference) = &condition.kind else { return false };
        if !reference.rest.is_empty() || reference.first.index.is_some() {
            return false;
        }
        let name = reference.head().clone();
        last.kind = StatementKind::Error;
        let message = format!("there is no statement or inline `{}`", name.text);
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, name.span, message);
        if let Some(foreign) = suggest::foreign(&name.text) {
            diagnostic = diagnostic.with_help(foreign);
        } else if let Some(similar) = suggest::closest(&name.text, self.inlines.keys().map(|name| &**name)) {
            diagnostic = diagnostic.with_suggestion(similar);
        }
        self.syntax_errors += 1;
        self.report(diagnostic);
        if &*name.text == "while" {
            let read = self.foreign_loop().unwrap_or_default();
            if let (Some(kind), Some(last)) = (read, self.steps.last_mut()) {
                last.kind = kind;
            }
            return true;
        }
        self.skip_balanced(Punct::LeftParen, Punct::RightParen);
        if self.stream.peek(0).is(Punct::LeftBrace) {
            self.skip_balanced(Punct::LeftBrace, Punct::RightBrace);
        }
        true
    }

    /// What is said of two statements with nothing between them.
    pub(super) fn missing_separator(&mut self, next: &Lexeme) -> Diagnostic {
        let message = format!("expected `;` or `->` before {}", super::describe(&next.kind));
        let missing = Diagnostic::error(codes::MISSING_SEPARATOR, next.span, message);
        let help = match next.kind {
            TokenKind::Punct(Punct::Question) => "a choice of values is `(CONDITION -> VALUE : VALUE)`",
            TokenKind::Punct(Punct::PlusPlus) => {
                "`++` is a statement of its own: write `x + 1` for the value"
            }
            TokenKind::Punct(Punct::MinusMinus) => {
                "`--` is a statement of its own: write `x - 1` for the value"
            }
            TokenKind::Keyword(Keyword::Of) => A_CHANNEL,
            _ => return missing,
        };
        missing.with_help(help)
    }
}

/// How a channel is declared.
pub(super) const A_CHANNEL: &str = "a channel is declared as `chan NAME = [CAPACITY] of { TYPE }`";
