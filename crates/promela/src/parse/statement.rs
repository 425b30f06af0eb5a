//! Statements and sequences, calls of inlines.

use super::{Lexeme, Lost, NameClass, Parsed, Parser, describe};
use crate::ast::{
    Expr, ExprKind, ForRange, Label, LabelPlace, Name, Reference, ScopePath, SelectForm, Sequence, Statement,
    StatementKind,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Keyword, Punct, TokenKind};
use std::rc::Rc;

/// A `select` between literals with at most so many steps is written out by SPIN.
const LONGEST_WRITTEN_OUT_SELECT: i64 = 32;

/// What closes a sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    Braces,
    Options,
}

/// What stands behind `if` and `do`.
pub(super) const AN_OPTION: &str = "`::` and an option";

impl Parser<'_> {
    /// Steps with separators between them, up to what closes the sequence, which is not taken.
    pub(super) fn sequence(&mut self, inside: Inside) -> Sequence {
        let before = self.steps.len();
        loop {
            if self.at_end_of_sequence(inside) {
                if self.steps.len() == before {
                    let next = self.stream.peek(0).clone();
                    self.unexpected(&next, "a statement");
                }
                return self.steps.drain(before..).collect();
            }
            let errors = self.syntax_errors;
            match self.step() {
                Ok(step) => self.steps.push(step),
                Err(Lost) => {
                    self.steps.push(Statement {
                        labels: Vec::new(),
                        kind: StatementKind::Error,
                        span: self.stream.taken,
                    });
                    self.skip_to_separator();
                }
            }
            let mut separated = false;
            while self.accept(Punct::Semicolon).is_some() || self.accept(Punct::Arrow).is_some() {
                separated = true;
            }
            if separated || self.at_end_of_sequence(inside) {
                continue;
            }
            if self.syntax_errors > errors {
                // What follows belongs to a statement that is in error already.
                self.skip_to_separator();
                while self.accept(Punct::Semicolon).is_some() || self.accept(Punct::Arrow).is_some() {}
                if self.stray_closing(inside) {
                    self.stream.next();
                }
                continue;
            }
            let next = self.stream.peek(0).clone();
            match next.kind {
                TokenKind::Punct(Punct::DoubleColon) | TokenKind::Keyword(Keyword::Fi | Keyword::Od) => {
                    let message = format!("{} without `if` or `do`", describe(&next.kind));
                    self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, next.span, message));
                    self.stream.next();
                }
                TokenKind::Punct(Punct::Comma) if self.take_comma_before_type() => {}
                TokenKind::Punct(Punct::Assign) => {
                    let (message, help) = match self.stream.peek(1).is(Punct::Greater) {
                        true => ("`=>` is no operator", "write `->`"),
                        false => (
                            "only a variable can be assigned, and only as a statement",
                            "`=` assigns, `==` compares",
                        ),
                    };
                    let diagnostic = Diagnostic::error(codes::NOT_ASSIGNABLE, next.span, message);
                    self.report(diagnostic.with_help(help));
                    self.skip_to_separator();
                    while self.accept(Punct::Semicolon).is_some() || self.accept(Punct::Arrow).is_some() {}
                }
                TokenKind::Punct(Punct::LeftParen) if self.call_of_nothing() => {
                    while self.accept(Punct::Semicolon).is_some() || self.accept(Punct::Arrow).is_some() {}
                }
                _ => {
                    let missing = self.missing_separator(&next);
                    self.report(missing);
                    if !self.starts_step() {
                        self.skip_to_separator();
                        while self.accept(Punct::Semicolon).is_some() || self.accept(Punct::Arrow).is_some() {
                        }
                    }
                }
            }
        }
    }

    /// A closing word that closes nothing here; only met after an error.
    fn stray_closing(&mut self, inside: Inside) -> bool {
        matches!(
            self.stream.peek(0).kind,
            TokenKind::Punct(Punct::DoubleColon) | TokenKind::Keyword(Keyword::Fi | Keyword::Od)
        ) && !self.at_end_of_sequence(inside)
    }

    fn at_end_of_sequence(&mut self, inside: Inside) -> bool {
        match self.stream.peek(0).kind {
            TokenKind::End | TokenKind::Punct(Punct::RightBrace) => true,
            TokenKind::Punct(Punct::DoubleColon) | TokenKind::Keyword(Keyword::Fi | Keyword::Od) => {
                inside == Inside::Options
            }
            // A closing brace was forgotten.
            TokenKind::Keyword(
                Keyword::Proctype
                | Keyword::DProctype
                | Keyword::Active
                | Keyword::Init
                | Keyword::Never
                | Keyword::Typedef,
            ) => true,
            _ => false,
        }
    }

    fn starts_step(&mut self) -> bool {
        if self.starts_declaration() {
            return true;
        }
        match self.stream.peek(0).kind {
            TokenKind::Name(_) | TokenKind::Number(_) => true,
            TokenKind::Keyword(keyword) => matches!(
                keyword,
                Keyword::Assert
                    | Keyword::Atomic
                    | Keyword::Break
                    | Keyword::DStep
                    | Keyword::Do
                    | Keyword::Else
                    | Keyword::For
                    | Keyword::Goto
                    | Keyword::If
                    | Keyword::Printf
                    | Keyword::Printm
                    | Keyword::Return
                    | Keyword::Run
                    | Keyword::Select
                    | Keyword::Skip
                    | Keyword::Timeout
                    | Keyword::True
                    | Keyword::False
            ),
            _ => false,
        }
    }

    /// After an error in a statement: to the separator or closing word that ends it.
    fn skip_to_separator(&mut self) {
        self.stream.forget_parentheses();
        self.stream.in_for = false;
        let mut depth = 0;
        loop {
            match self.stream.peek(0).kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::Semicolon | Punct::Arrow) if depth == 0 => return,
                TokenKind::Punct(Punct::DoubleColon) if depth == 0 => return,
                TokenKind::Punct(Punct::RightBrace) | TokenKind::Keyword(Keyword::Fi | Keyword::Od) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                TokenKind::Punct(Punct::LeftBrace) | TokenKind::Keyword(Keyword::If | Keyword::Do) => {
                    depth += 1
                }
                TokenKind::Keyword(Keyword::Proctype | Keyword::Active | Keyword::Init | Keyword::Never) => {
                    return;
                }
                _ => {}
            }
            self.stream.next();
        }
    }

    fn step(&mut self) -> Parsed<Statement> {
        let first = self.stream.peek(0).clone();
        let plain = |kind, span| Statement { labels: Vec::new(), kind, span };
        if self.starts_declaration() {
            let declaration = self.declaration()?;
            let span = declaration.span;
            return Ok(plain(StatementKind::Declaration(declaration), span));
        }
        if matches!(first.kind, TokenKind::Keyword(Keyword::Xr | Keyword::Xs)) {
            self.stream.next();
            let mut channels = vec![self.reference()?];
            while self.accept(Punct::Comma).is_some() {
                channels.push(self.reference()?);
            }
            let receive = first.is_keyword(Keyword::Xr);
            return Ok(plain(StatementKind::Exclusive { receive, channels }, first.anchor));
        }
        let main = self.statement()?;
        self.initialization = false;
        if self.accept_keyword(Keyword::Unless).is_none() {
            return Ok(main);
        }
        let escape = self.statement()?;
        Ok(self.unless(main, escape))
    }

    /// SPIN lifts the label of `label: { … } unless …` to the whole, and accepts no other label there.
    fn unless(&mut self, mut main: Statement, escape: Statement) -> Statement {
        if let (Some(label), false) = (escape.labels.first(), matches!(escape.kind, StatementKind::Block(_)))
        {
            self.report(
                Diagnostic::error(
                    codes::MISPLACED_LABEL,
                    label.name.span,
                    "a label cannot stand before the escape of an `unless`",
                )
                .with_help("put the label inside braces, or before the whole statement"),
            );
        }
        let span = self.join(main.span, escape.span);
        let escape = Box::new(escape);
        if main.labels.is_empty() {
            return Statement {
                labels: Vec::new(),
                kind: StatementKind::Unless { main: Box::new(main), escape },
                span,
            };
        }
        let liftable =
            matches!(main.kind, StatementKind::Block(_) | StatementKind::Atomic(_) | StatementKind::DStep(_));
        if !liftable || main.labels.len() > 1 {
            self.report(
                Diagnostic::error(
                    codes::MISPLACED_LABEL,
                    main.labels[0].name.span,
                    "a label cannot stand before `statement unless …`",
                )
                .with_help("write `label: { statement unless … }`"),
            );
        }
        let labels = std::mem::take(&mut main.labels);
        let wrap: fn(Sequence) -> StatementKind = match main.kind {
            StatementKind::Atomic(_) => StatementKind::Atomic,
            StatementKind::DStep(_) => StatementKind::DStep,
            _ => StatementKind::Block,
        };
        main.kind = match main.kind {
            StatementKind::Atomic(sequence) | StatementKind::DStep(sequence) => {
                StatementKind::Block(sequence)
            }
            kind => kind,
        };
        let inner = Statement {
            labels: Vec::new(),
            kind: StatementKind::Unless { main: Box::new(main), escape },
            span,
        };
        Statement { labels, kind: wrap(vec![inner]), span }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.deeper()?;
        let result = self.labelled_statement();
        self.depth -= 1;
        result
    }

    fn labelled_statement(&mut self) -> Parsed<Statement> {
        let mut labels = Vec::new();
        while let Some(label) = self.label() {
            labels.push(label);
        }
        if labels.is_empty() {
            return self.bare_statement();
        }
        let next = self.stream.peek(0).clone();
        let nothing_follows = match next.kind {
            TokenKind::End => true,
            TokenKind::Punct(punct) => {
                matches!(punct, Punct::Semicolon | Punct::Arrow | Punct::RightBrace | Punct::DoubleColon)
            }
            TokenKind::Keyword(keyword) => matches!(keyword, Keyword::Fi | Keyword::Od | Keyword::Unless),
            _ => false,
        };
        if nothing_follows {
            // A label needs a statement; SPIN supplies a `skip`.
            let span = labels[labels.len() - 1].name.span;
            let kind =
                StatementKind::Condition(Expr { kind: ExprKind::Number(1), span, height: 0, probe: false });
            return Ok(Statement { labels, kind, span });
        }
        if self.starts_declaration() || matches!(next.kind, TokenKind::Keyword(Keyword::Xr | Keyword::Xs)) {
            let span = labels[0].name.span;
            self.report(
                Diagnostic::error(
                    codes::LABEL_BEFORE_DECLARATION,
                    span,
                    "a label cannot stand before a declaration",
                )
                .with_help("put the label before the first statement after it"),
            );
            return self.step();
        }
        let statement = self.bare_statement()?;
        Ok(Statement { labels, ..statement })
    }

    fn label(&mut self) -> Option<Label> {
        let TokenKind::Name(text) = self.stream.peek(0).kind.clone() else { return None };
        if self.class(&text) != NameClass::Plain || !self.stream.peek(1).is(Punct::Colon) {
            return None;
        }
        if self.stream.peek(2).is(Punct::Assign) {
            let colon = self.stream.peek(1).span;
            self.assigned_as_in_pascal(&text, colon);
            return None;
        }
        let name = self.stream.next();
        self.stream.next();
        let name = Name { text, span: name.span };
        let scope = self.label_scope(&name.text);
        let same_name = self.labels.named(&name.text).len();
        // A label of an inline and one of its caller are two labels.
        let inline = self.stream.inline_name().cloned();
        let before = self.labels.named(&name.text).find(|l| l.scope == scope && l.inline == inline);
        if let Some(before) = before {
            let first = before.name.span;
            self.report(
                Diagnostic::error(
                    codes::LABEL_TWICE,
                    name.span,
                    format!("label `{}` is declared twice", name.text),
                )
                .with_related(first, "first declared here"),
            );
        }
        let unique: Rc<str> = match same_name {
            0 => name.text.clone(),
            n => format!("{}:{}", name.text, n + 1).into(),
        };
        let d_step = self.d_step;
        self.labels.push(LabelPlace { name: name.clone(), scope, unique: unique.clone(), inline, d_step });
        Some(Label { name, unique })
    }

    /// The block that SPIN takes a label name to belong to: where a `goto` or label with it was seen first, going outwards.
    fn label_scope(&mut self, name: &Rc<str>) -> ScopePath {
        let current = self.scope_path();
        let known = self.label_scopes.entry(name.clone()).or_default();
        if let Some(scope) = known.iter().rev().find(|scope| current.starts_with(scope)) {
            return scope.clone();
        }
        known.push(current.clone());
        current
    }

    fn bare_statement(&mut self) -> Parsed<Statement> {
        let first = self.stream.peek(0).clone();
        let kind = match &first.kind {
            TokenKind::Keyword(keyword) => self.keyword_statement(*keyword)?,
            TokenKind::Punct(Punct::LeftBrace) => {
                self.initialization = false;
                let block = self.block()?;
                self.no_label_first(&block, "{ label: statement … }", "label: { statement … }");
                StatementKind::Block(block)
            }
            TokenKind::Name(name) => match self.class(name) {
                NameClass::Inline => {
                    let name = self.any_name("an inline")?;
                    let kind = self.inline_call(name, None)?;
                    return Ok(Statement { labels: Vec::new(), kind, span: first.anchor });
                }
                NameClass::Plain => {
                    let reference = self.reference()?;
                    return self.statement_with_reference(reference, &first);
                }
                _ => StatementKind::Condition(self.condition()),
            },
            _ => StatementKind::Condition(self.condition()),
        };
        Ok(Statement { labels: Vec::new(), kind, span: self.join(first.anchor, self.stream.taken) })
    }

    fn condition(&mut self) -> Expr {
        let before = self.diagnostics.len();
        let first = self.stream.peek(0).span;
        let expr = self.full_expression();
        if matches!(expr.kind, ExprKind::Error)
            && self.diagnostics.len() > before
            && self.stream.peek(0).span == first
        {
            // Nothing was taken: make progress.
            if !matches!(self.stream.peek(0).kind, TokenKind::End | TokenKind::Punct(Punct::RightBrace)) {
                self.stream.next();
            }
        }
        expr
    }

    /// A statement that begins with a variable: assignment, send, receive, or a condition.
    fn statement_with_reference(&mut self, reference: Reference, first: &Lexeme) -> Parsed<Statement> {
        let next = self.stream.peek(0).clone();
        let TokenKind::Punct(punct) = next.kind else {
            let operand = self.after_reference(reference)?;
            return Ok(self.finish_condition(operand, first));
        };
        let kind = match punct {
            Punct::Assign => {
                self.stream.next();
                let called = match self.stream.peek(0).kind.clone() {
                    TokenKind::Name(name) => self.class(&name) == NameClass::Inline,
                    _ => false,
                };
                if called {
                    let name = self.any_name("an inline")?;
                    let kind = self.inline_call(name, Some(Rc::new(reference)))?;
                    return Ok(Statement { labels: Vec::new(), kind, span: first.anchor });
                }
                StatementKind::Assign { target: reference, value: self.full_expression() }
            }
            Punct::PlusPlus | Punct::MinusMinus => {
                self.stream.next();
                StatementKind::Step { target: reference, increment: punct == Punct::PlusPlus }
            }
            Punct::Bang | Punct::BangBang => {
                self.stream.next();
                let arguments = self.send_arguments()?;
                StatementKind::Send { channel: reference, sorted: punct == Punct::BangBang, arguments }
            }
            Punct::Question | Punct::QuestionQuestion => {
                let random = punct == Punct::QuestionQuestion;
                self.stream.next();
                if self.accept(Punct::LeftBracket).is_some() {
                    let operand = self.poll(reference, random)?;
                    return Ok(self.finish_condition(operand, first));
                }
                let copy = self.accept(Punct::Less).is_some();
                let arguments = self.receive_arguments()?;
                if copy {
                    self.expect(Punct::Greater)?;
                }
                StatementKind::Receive { channel: reference, random, copy, arguments }
            }
            _ => {
                let operand = self.after_reference(reference)?;
                return Ok(self.finish_condition(operand, first));
            }
        };
        Ok(Statement { labels: Vec::new(), kind, span: self.join(first.anchor, self.stream.taken) })
    }

    fn finish_condition(&mut self, operand: Expr, first: &Lexeme) -> Statement {
        let expr = self.full_expression_from(operand);
        let span = self.join(first.anchor, self.stream.taken);
        Statement { labels: Vec::new(), kind: StatementKind::Condition(expr), span }
    }

    /// `a,b,c` or `a(b,c)`
    fn send_arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = vec![self.expression()];
        if self.accept(Punct::LeftParen).is_some() {
            arguments.extend(self.arguments()?);
            self.expect(Punct::RightParen)?;
            return Ok(arguments);
        }
        while self.accept(Punct::Comma).is_some() {
            arguments.push(self.expression());
        }
        Ok(arguments)
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Parsed<StatementKind> {
        match keyword {
            Keyword::If | Keyword::Do => self.options(keyword == Keyword::Do),
            Keyword::Atomic => {
                self.stream.next();
                let block = self.block()?;
                self.no_label_first(&block, "atomic { label: statement … }", "label: atomic { statement … }");
                Ok(StatementKind::Atomic(block))
            }
            Keyword::DStep => {
                self.stream.next();
                let outer = self.d_step;
                self.d_steps += 1;
                self.d_step = self.d_steps;
                let block = self.block();
                self.d_step = outer;
                let block = block?;
                self.no_label_first(&block, "d_step { label: statement … }", "label: d_step { statement … }");
                Ok(StatementKind::DStep(block))
            }
            Keyword::For => self.for_statement(),
            Keyword::Select => self.select(),
            Keyword::Goto => {
                self.stream.next();
                let label = self.name("a label")?;
                let scope = self.label_scope(&label.text);
                Ok(StatementKind::Goto { label, scope, d_step: self.d_step })
            }
            Keyword::Break => {
                self.stream.next();
                Ok(StatementKind::Break)
            }
            Keyword::Else => {
                self.stream.next();
                Ok(StatementKind::Else)
            }
            Keyword::Assert => {
                self.stream.next();
                Ok(StatementKind::Assert(self.full_expression()))
            }
            Keyword::Printf => self.printf(),
            Keyword::Printm => {
                self.stream.next();
                self.expect(Punct::LeftParen)?;
                let argument = self.expression();
                self.expect(Punct::RightParen)?;
                Ok(StatementKind::Printm(argument))
            }
            Keyword::SetPriority => {
                self.stream.next();
                self.expect(Punct::LeftParen)?;
                let pid = self.expression();
                self.expect(Punct::Comma)?;
                let priority = self.expression();
                self.expect(Punct::RightParen)?;
                Ok(StatementKind::SetPriority { pid: Box::new(pid), priority: Box::new(priority) })
            }
            Keyword::Return => self.return_statement(),
            Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack => {
                self.embedded_c();
                Ok(StatementKind::Error)
            }
            _ => Ok(StatementKind::Condition(self.condition())),
        }
    }

    pub(super) fn block(&mut self) -> Parsed<Sequence> {
        self.expect(Punct::LeftBrace)?;
        self.initialization = false;
        self.enter_scope();
        let sequence = self.sequence(Inside::Braces);
        let close = self.expect(Punct::RightBrace);
        self.leave_scope();
        close.map(|_| sequence)
    }

    /// SPIN cannot jump to the first statement of a block other than by a label before the block.
    pub(super) fn no_label_first(&mut self, block: &Sequence, instead_of: &str, write: &str) {
        let first = block.iter().find(|s| !matches!(s.kind, StatementKind::Exclusive { .. }));
        let Some(first) = first else { return };
        // These begin with an assignment, to which the label does not belong; a loop begins with the place behind it.
        let hidden_first = match first.kind {
            StatementKind::For { .. } | StatementKind::Do(_) => true,
            StatementKind::Select { form, .. } => form == SelectForm::Loop,
            _ => false,
        };
        if let (Some(label), false) = (first.labels.first(), hidden_first) {
            self.report(
                Diagnostic::error(
                    codes::MISPLACED_LABEL,
                    label.name.span,
                    format!("label `{}` is misplaced", label.name.text),
                )
                .with_help(format!("instead of `{instead_of}` write `{write}`")),
            );
        }
    }

    fn options(&mut self, repeats: bool) -> Parsed<StatementKind> {
        let word = self.stream.next();
        self.initialization = false;
        let mut options = Vec::new();
        if !self.stream.peek(0).is(Punct::DoubleColon) {
            let found = self.stream.peek(0).clone();
            self.unexpected(&found, AN_OPTION);
            if found.is(Punct::LeftParen)
                && let Some(options) = self.foreign_choice()?
            {
                return Ok(if repeats { StatementKind::Do(options) } else { StatementKind::If(options) });
            }
            self.skip_to_option();
        }
        while self.accept(Punct::DoubleColon).is_some() {
            let option = self.sequence(Inside::Options);
            if let Some(label) = option.first().and_then(|s| s.labels.first()) {
                let message = format!("label `{}` at the beginning of an option", label.name.text);
                let word = if repeats { "do" } else { "if" };
                self.report(
                    Diagnostic::warning(codes::LABEL_BEGINS_OPTION, label.name.span, message).with_help(
                        format!(
                            "a jump to it skips the choice; put it before the `{word}` if that is not meant"
                        ),
                    ),
                );
            }
            options.push(option);
        }
        let (closing, other) = if repeats { (Keyword::Od, Keyword::Fi) } else { (Keyword::Fi, Keyword::Od) };
        if self.accept_keyword(closing).is_none() {
            let found = self.stream.peek(0).clone();
            let message = format!("expected `{}`, found {}", closing.text(), describe(&found.kind));
            let opened = if repeats { "this `do` is not closed" } else { "this `if` is not closed" };
            let (end, blank) = match (found.is_keyword(other), found.newline) {
                (true, _) => (found.span.end, ""),
                (false, true) => (found.span.start, "\n"),
                (false, false) => (found.span.start, " "),
            };
            self.report(
                Diagnostic::error(codes::UNEXPECTED_TOKEN, found.span, message)
                    .with_related(word.span, opened)
                    .with_fix(Span { end, ..found.span }, format!("{}{blank}", closing.text())),
            );
            if self.accept_keyword(other).is_none() {
                return Err(Lost);
            }
        }
        Ok(if repeats { StatementKind::Do(options) } else { StatementKind::If(options) })
    }

    /// What other languages write behind `if`, as options: `(…) { … } else { … }`, so that what is wrong inside is said as well. `None` if
    /// it is something else.
    fn foreign_choice(&mut self) -> Parsed<Option<Vec<Sequence>>> {
        let condition = self.foreign_condition();
        if !self.stream.peek(0).is(Punct::LeftBrace) {
            return Ok(None);
        }
        let mut options = vec![self.foreign_option(condition)?];
        loop {
            // The end of a line is a `;` where a statement could end.
            let is_else = |token: &Lexeme| token.kind == TokenKind::Keyword(Keyword::Else);
            if self.stream.peek(0).is(Punct::Semicolon) && is_else(self.stream.peek(1)) {
                self.stream.next();
            }
            let Some(word) = self.accept_keyword(Keyword::Else) else { return Ok(Some(options)) };
            let mut guard = Statement { labels: Vec::new(), kind: StatementKind::Else, span: word.span };
            // So is what SPIN supplies behind an `else`.
            let _ = self.accept(Punct::Semicolon).or_else(|| self.accept(Punct::Arrow));
            if self.accept_keyword(Keyword::If).is_some() && self.stream.peek(0).is(Punct::LeftParen) {
                guard = self.foreign_condition();
            }
            if self.stream.peek(0).is(Punct::LeftBrace) {
                options.push(self.foreign_option(guard)?);
            }
        }
    }

    /// `while (…) { … }` of other languages behind its first word, as a loop. `None` if it is something else.
    pub(super) fn foreign_loop(&mut self) -> Parsed<Option<StatementKind>> {
        let condition = self.foreign_condition();
        if !self.stream.peek(0).is(Punct::LeftBrace) {
            return Ok(None);
        }
        Ok(Some(StatementKind::Do(vec![self.foreign_option(condition)?])))
    }

    /// A condition in parentheses, and the end of the line if the brace stands in the next one.
    fn foreign_condition(&mut self) -> Statement {
        let expr = self.expression();
        if self.stream.peek(0).is(Punct::Semicolon) && self.stream.peek(1).is(Punct::LeftBrace) {
            self.stream.next();
        }
        let span = expr.span;
        Statement { labels: Vec::new(), kind: StatementKind::Condition(expr), span }
    }

    fn foreign_option(&mut self, guard: Statement) -> Parsed<Sequence> {
        let mut option = vec![guard];
        option.extend(self.block()?);
        Ok(option)
    }

    /// From an opening to its closing one.
    pub(super) fn skip_balanced(&mut self, opening: Punct, closing: Punct) {
        let mut open = 0;
        while self.stream.peek(0).kind != TokenKind::End {
            let token = self.stream.next();
            open += usize::from(token.is(opening));
            open -= usize::from(token.is(closing));
            if open == 0 {
                break;
            }
        }
    }

    fn skip_to_option(&mut self) {
        while !matches!(
            self.stream.peek(0).kind,
            TokenKind::End
                | TokenKind::Punct(Punct::DoubleColon | Punct::RightBrace)
                | TokenKind::Keyword(Keyword::Fi | Keyword::Od)
        ) {
            self.stream.next();
        }
    }

    fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.stream.next();
        let open = self.stream.peek(0).clone();
        self.stream.in_for = true;
        if self.accept(Punct::LeftParen).is_none() {
            self.unexpected(&open, "`(`");
            return Err(Lost);
        }
        let head = self.head_of_for();
        self.stream.in_for = false;
        let Ok((variable, range)) = head else {
            self.skip_foreign_loop();
            return Ok(StatementKind::Error);
        };
        self.accept(Punct::Semicolon);
        let scope = self.scope_path();
        let body = self.block()?;
        Ok(StatementKind::For { variable, range: Box::new(range), body, scope })
    }

    /// From behind `for (` to its closing parenthesis.
    fn head_of_for(&mut self) -> Parsed<(Reference, ForRange)> {
        let variable = self.reference()?;
        let range = if self.accept_keyword(Keyword::In).is_some() {
            ForRange::Elements(self.reference()?)
        } else {
            self.expect(Punct::Colon)?;
            let from = self.expression();
            self.expect(Punct::DotDot)?;
            ForRange::Numbers { from, to: self.expression() }
        };
        self.stream.in_for = false;
        self.expect(Punct::RightParen)?;
        Ok((variable, range))
    }

    /// After an error behind `for (`: past the closing parenthesis, if it is there before the sequence ends, and the block behind it.
    fn skip_foreign_loop(&mut self) {
        let mut open = 1;
        while open > 0 && !self.at_end_of_sequence(Inside::Options) {
            let token = self.stream.next();
            open += usize::from(token.is(Punct::LeftParen));
            open -= usize::from(token.is(Punct::RightParen));
        }
        if self.stream.peek(0).is(Punct::LeftBrace) {
            self.skip_balanced(Punct::LeftBrace, Punct::RightBrace);
        }
    }

    fn select(&mut self) -> Parsed<StatementKind> {
        let in_inline = self.stream.in_inline();
        let word = self.stream.next();
        self.expect(Punct::LeftParen)?;
        let variable = self.reference()?;
        self.expect(Punct::Colon)?;
        let from = self.expression();
        self.expect(Punct::DotDot)?;
        let to = self.expression();
        let close = self.expect(Punct::RightParen)?;
        let plain_name = variable.rest.is_empty()
            && variable.first.index.is_none()
            && variable.head().text.chars().all(|c| c.is_ascii_alphanumeric());
        let form = match (&from.kind, &to.kind) {
            (&ExprKind::Number(from), &ExprKind::Number(to)) if plain_name && !in_inline => {
                if from > to {
                    let message = format!("empty range {from} .. {to}");
                    let range = self.join(word.span, close.span);
                    self.report(Diagnostic::error(codes::EMPTY_RANGE, range, message));
                }
                if i64::from(to) - i64::from(from) <= LONGEST_WRITTEN_OUT_SELECT {
                    SelectForm::Options
                } else {
                    SelectForm::Literal
                }
            }
            _ => SelectForm::Loop,
        };
        Ok(StatementKind::Select { variable, from: Box::new(from), to: Box::new(to), form })
    }

    fn printf(&mut self) -> Parsed<StatementKind> {
        self.stream.next();
        self.expect(Punct::LeftParen)?;
        let found = self.stream.next();
        let TokenKind::String(format) = found.kind else {
            self.unexpected(&found, "a format string");
            return Err(Lost);
        };
        let mut arguments = Vec::new();
        if self.accept(Punct::Comma).is_some() {
            arguments = self.arguments()?;
        }
        self.expect(Punct::RightParen)?;
        Ok(StatementKind::Printf { format, arguments })
    }

    fn return_statement(&mut self) -> Parsed<StatementKind> {
        let target = self.stream.return_target().map(|t| t.as_ref().map(|r| (**r).clone()));
        let word = self.stream.next();
        if target.is_none() && self.at_end_of_statement() {
            self.return_from_process(word.span);
            return Ok(StatementKind::Error);
        }
        let value = self.full_expression();
        match target {
            Some(Some(target)) => Ok(StatementKind::Assign { target, value }),
            Some(None) => {
                let message =
                    "the value of this `return` is not assigned: the inline is called as a statement";
                self.report(Diagnostic::error(codes::MISPLACED_RETURN, word.span, message));
                Ok(StatementKind::Error)
            }
            None => {
                self.return_from_process(word.span);
                Ok(StatementKind::Error)
            }
        }
    }

    fn return_from_process(&mut self, span: Span) {
        self.report(
            Diagnostic::error(codes::MISPLACED_RETURN, span, "`return` outside of an inline").with_help(
                "a process ends at its closing brace: put a label before it, and `goto` that label",
            ),
        );
    }

    fn at_end_of_statement(&mut self) -> bool {
        self.at_end_of_sequence(Inside::Options)
            || matches!(self.stream.peek(0).kind, TokenKind::Punct(Punct::Semicolon | Punct::Arrow))
    }
}
