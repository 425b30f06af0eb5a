//! From tokens to [`Ast`]: recursive descent by hand, with recovery, so that all errors of a text are found in one run.
//!
//! As in SPIN, what a name is (a symbolic constant, a type, a proctype, an inline, or else a variable) is known from what
//! was declared before it, and the grammar depends on it.

mod declaration;
mod expression;
mod hints;
mod inline;
mod statement;
mod tokens;

use crate::ast::{Active, Ast, Body, InlineUse, LabelTable, Name, Proctype, ScopePath, Statement, Unit};
use crate::codes;
use crate::diagnostic::{Diagnostic, Label};
use crate::hash::{HashMap, HashSet};
use crate::names::{NameKind, Role};
use crate::source::{SourceMap, Span};
use crate::token::{Keyword, Punct, Token, TokenKind};
pub(crate) use inline::counted;
use statement::Inside;
use std::rc::Rc;
pub(crate) use tokens::MOST_INLINED_TOKENS;
use tokens::{InlineRefusal, Lexeme, TokenStream};

/// Deeper nesting of statements or parentheses is refused: SPIN's limit for braces is 128.
const DEEPEST_NESTING: u32 = 128;
/// Errors after so many are not reported: they would be noise.
const MOST_ERRORS: usize = 500;

/// Parses the tokens of a model; `proctypes` are the names of those that come before, if it is a part of one.
pub(crate) fn parse(
    tokens: Vec<Token>,
    proctypes: impl IntoIterator<Item = Rc<str>>,
    sources: &mut SourceMap,
) -> (Ast, Vec<Diagnostic>) {
    let stream = TokenStream::new(tokens);
    let mut parser = Parser::new(stream, sources);
    parser.proctypes.extend(proctypes);
    parser.units();
    let mut inlines: Vec<_> =
        parser.inlines.into_values().map(|i| InlineUse { name: i.name, is_called: i.is_called }).collect();
    inlines.sort_by_key(|i| i.name.span);
    let inlined = parser.stream.inlined_tokens;
    (Ast { units: parser.units, extents: parser.extents, inlines, inlined }, parser.diagnostics)
}

/// Parses a temporal formula that stands alone; `symbols` are the symbolic names, `proctypes` those that remote references may name.
pub(crate) fn parse_formula(
    tokens: Vec<Token>,
    sources: &mut SourceMap,
    symbols: impl IntoIterator<Item = Rc<str>>,
    proctypes: impl IntoIterator<Item = Rc<str>>,
) -> (crate::ast::Expr, Vec<Diagnostic>) {
    let mut stream = TokenStream::new(tokens);
    stream.in_formula = true;
    let mut parser = Parser::new(stream, sources);
    parser.symbols.extend(symbols.into_iter().map(|s| (s, Span::default())));
    parser.proctypes.extend(proctypes);
    let formula = parser.expression();
    let rest = parser.stream.next();
    if rest.kind != TokenKind::End {
        parser.unexpected(&rest, "the end of the formula");
    }
    (formula, parser.diagnostics)
}

/// What a name is, at the place where it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NameClass {
    Plain,
    Symbol,
    Type,
    Proctype,
    Inline,
}

struct Inline {
    name: Name,
    parameters: Vec<Rc<str>>,
    body: Rc<[Lexeme]>,
    is_called: bool,
}

/// Marks that parsing of a construct cannot go on; the error is already reported.
struct Lost;
type Parsed<T> = Result<T, Lost>;

struct Parser<'a> {
    stream: TokenStream,
    sources: &'a mut SourceMap,
    diagnostics: Vec<Diagnostic>,
    units: Vec<Unit>,
    /// The first and the last token of each.
    extents: Vec<(Span, Span)>,
    /// The steps of the sequences that are open, the innermost last: most have one or two, and a vector for each that grows by itself
    /// would have room for four.
    steps: Vec<Statement>,
    symbols: HashMap<Rc<str>, Span>,
    types: HashMap<Rc<str>, Span>,
    proctypes: HashSet<Rc<str>>,
    inlines: HashMap<Rc<str>, Inline>,
    /// The inlines that the body calls which is being read.
    calls: Vec<Rc<str>>,
    depth: u32,
    /// Number of the last block on each level of braces, and the level.
    scope_counts: Vec<u32>,
    scope: Vec<u32>,
    labels: LabelTable,
    /// Where SPIN knows each label name from: the block of its first `goto` or label.
    label_scopes: HashMap<Rc<str>, Vec<ScopePath>>,
    /// A declaration here is an initial value, not yet an assignment.
    initialization: bool,
    refused: bool,
    /// Number of errors of syntax so far: one is enough for each statement.
    syntax_errors: usize,
    /// Number of the `d_step` that is open, and of the last one.
    d_step: u32,
    d_steps: u32,
}

impl<'a> Parser<'a> {
    fn new(stream: TokenStream, sources: &'a mut SourceMap) -> Self {
        Self {
            stream,
            sources,
            diagnostics: Vec::new(),
            units: Vec::new(),
            extents: Vec::new(),
            steps: Vec::new(),
            symbols: HashMap::default(),
            types: HashMap::default(),
            proctypes: HashSet::default(),
            inlines: HashMap::default(),
            calls: Vec::new(),
            depth: 0,
            scope_counts: Vec::new(),
            scope: Vec::new(),
            labels: LabelTable::default(),
            label_scopes: HashMap::default(),
            initialization: true,
            refused: false,
            syntax_errors: 0,
            d_step: 0,
            d_steps: 0,
        }
    }

    fn units(&mut self) {
        loop {
            while self.stream.peek(0).kind != TokenKind::End {
                let first = self.stream.peek(0).span;
                if self.unit().is_err() {
                    self.skip_to_unit();
                }
                self.extents.resize(self.units.len(), (first, self.stream.taken));
                self.stream.in_sequence = false;
                self.stream.in_formula = false;
                self.stream.in_for = false;
            }
            if !self.stream.start_deferred() {
                return;
            }
        }
    }

    fn unit(&mut self) -> Parsed<()> {
        let first = self.stream.peek(0).clone();
        match first.kind {
            TokenKind::Punct(Punct::Semicolon | Punct::Arrow) => {
                self.stream.next();
                Ok(())
            }
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Active | Keyword::Proctype | Keyword::DProctype => self.proctype(),
                Keyword::Init => self.init(),
                Keyword::Never => self.claim(),
                Keyword::Trace | Keyword::Notrace => self.trace(keyword == Keyword::Notrace),
                Keyword::Ltl => self.formula(),
                Keyword::Typedef => self.typedef(),
                Keyword::Inline => self.inline_definition(),
                Keyword::CCode | Keyword::CDecl | Keyword::CExpr | Keyword::CState | Keyword::CTrack => {
                    self.embedded_c();
                    Ok(())
                }
                _ if self.starts_declaration() => self.global_declaration(),
                _ => self.not_a_unit(&first),
            },
            _ if self.starts_declaration() => self.global_declaration(),
            _ => self.not_a_unit(&first),
        }
    }

    fn not_a_unit<T>(&mut self, found: &Lexeme) -> Parsed<T> {
        let mut diagnostic = Diagnostic::error(
            codes::UNEXPECTED_TOKEN,
            found.span,
            format!("expected a declaration or a proctype, found {}", describe(&found.kind)),
        );
        if let TokenKind::Name(name) = &found.kind {
            let known = self.types.keys().map(|k| &**k).chain(UNIT_WORDS.iter().copied());
            if let Some(foreign) = crate::suggest::foreign(name) {
                diagnostic = diagnostic.with_help(foreign);
            } else if let Some(similar) = crate::suggest::closest(name, known) {
                diagnostic = diagnostic.with_suggestion(similar);
            }
        }
        if found.is(Punct::Comma) {
            diagnostic = diagnostic
                .with_help("in SPIN a declaration ends after `}`: write another one instead of the comma");
        }
        if found.is_keyword(Keyword::Of) {
            diagnostic = diagnostic.with_help(hints::A_CHANNEL);
        }
        self.report(diagnostic);
        Err(Lost)
    }

    /// To where the next unit may begin: a word that begins one, outside of braces.
    fn skip_to_unit(&mut self) {
        self.stream.in_sequence = false;
        self.stream.in_formula = false;
        self.stream.in_for = false;
        self.stream.forget_parentheses();
        // How many of the braces that are open here belong to what was given up.
        let mut depth = self.scope.len() as i32;
        self.scope.clear();
        loop {
            let next = self.stream.peek(0);
            match next.kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::LeftBrace) => depth += 1,
                TokenKind::Punct(Punct::RightBrace) => {
                    depth -= 1;
                    if depth <= 0 {
                        self.stream.next();
                        return;
                    }
                }
                TokenKind::Punct(Punct::Semicolon) if depth <= 0 => return,
                TokenKind::Keyword(
                    Keyword::Proctype
                    | Keyword::DProctype
                    | Keyword::Active
                    | Keyword::Init
                    | Keyword::Never
                    | Keyword::Trace
                    | Keyword::Notrace
                    | Keyword::Ltl
                    | Keyword::Typedef
                    | Keyword::Inline,
                ) => return,
                _ => {}
            }
            self.stream.next();
        }
    }

    fn global_declaration(&mut self) -> Parsed<()> {
        self.initialization = true;
        if let Some(unit) = self.mtype_declaration()? {
            self.units.push(unit);
            return Ok(());
        }
        let declaration = self.declaration()?;
        self.units.push(Unit::Declaration(declaration));
        if self.take_comma_before_type() {
            return Ok(());
        }
        self.end_of_global()
    }

    /// Two declarations need a separator, but SPIN's grammar lets units follow each other; a name cannot.
    fn end_of_global(&mut self) -> Parsed<()> {
        let next = self.stream.peek(0).clone();
        match next.kind {
            TokenKind::Punct(Punct::Semicolon | Punct::Arrow) | TokenKind::End | TokenKind::Keyword(_) => {
                Ok(())
            }
            TokenKind::Name(ref name) if self.class(name) == NameClass::Type => Ok(()),
            _ if next.is(Punct::LeftParen) => {
                self.syntax_errors += 1;
                let help = "`inline NAME(a, b) { STATEMENTS }` is for statements that are used in several places, without a value of its own; `proctype` declares a process";
                self.report(
                    Diagnostic::error(
                        codes::UNEXPECTED_TOKEN,
                        next.span,
                        "there are no functions in Promela",
                    )
                    .with_help(help),
                );
                Err(Lost)
            }
            _ => {
                self.unexpected(&next, "`;`");
                Err(Lost)
            }
        }
    }

    fn proctype(&mut self) -> Parsed<()> {
        let mut active = Active::Count(0, self.stream.peek(0).span);
        if let Some(word) = self.accept_keyword(Keyword::Active) {
            active = Active::Count(1, word.span);
            if self.accept(Punct::LeftBracket).is_some() {
                let name = match &self.stream.peek(0).kind {
                    TokenKind::Name(name) => Some(name.clone()),
                    _ => None,
                };
                active = match name.filter(|n| self.class(n) == NameClass::Plain) {
                    Some(_) => Active::Variable(self.name("a number")?),
                    None => {
                        let (value, span) = self.constant()?;
                        Active::Count(value, span)
                    }
                };
                self.expect(Punct::RightBracket)?;
            }
        }
        let deterministic = self.accept_keyword(Keyword::DProctype).is_some();
        if !deterministic {
            self.expect_keyword(Keyword::Proctype)?;
        }
        let name = self.any_name("the proctype's name")?;
        if !self.proctypes.insert(name.text.clone()) {
            self.report(Diagnostic::error(
                codes::DECLARED_TWICE,
                name.span,
                format!("proctype `{}` is declared twice", name.text),
            ));
        } else if matches!(
            self.class_before(&name.text),
            NameClass::Symbol | NameClass::Type | NameClass::Inline
        ) {
            let what = "is already the name of something else";
            self.report(Diagnostic::error(
                codes::DECLARED_TWICE,
                name.span,
                format!("`{}` {what}", name.text),
            ));
        }
        self.expect(Punct::LeftParen)?;
        self.initialization = true;
        let mut parameters = Vec::new();
        if !self.stream.peek(0).is(Punct::RightParen) {
            parameters.push(self.declaration()?);
            while self.accept(Punct::Semicolon).is_some() || self.take_comma_before_type() {
                parameters.push(self.declaration()?);
            }
        }
        self.expect(Punct::RightParen)?;
        let priority = self.priority()?;
        let provided = match self.accept_keyword(Keyword::Provided) {
            None => None,
            Some(_) => {
                self.expect(Punct::LeftParen)?;
                let condition = self.full_expression();
                self.expect(Punct::RightParen)?;
                Some(condition)
            }
        };
        let body = self.body()?;
        let unit = Proctype { name, deterministic, active, parameters, priority, provided, body };
        self.units.push(Unit::Proctype(Box::new(unit)));
        Ok(())
    }

    fn init(&mut self) -> Parsed<()> {
        let word = self.stream.next();
        let name = Name { text: ":init:".into(), span: word.span };
        let priority = self.priority()?;
        let body = self.body()?;
        let active = Active::Count(1, word.span);
        let unit = Proctype {
            name,
            deterministic: false,
            active,
            parameters: Vec::new(),
            priority,
            provided: None,
            body,
        };
        self.units.push(Unit::Proctype(Box::new(unit)));
        Ok(())
    }

    fn priority(&mut self) -> Parsed<Option<i32>> {
        if self.accept_keyword(Keyword::Priority).is_none() {
            return Ok(None);
        }
        self.number("the priority, a number").map(|(value, _)| Some(value))
    }

    fn claim(&mut self) -> Parsed<()> {
        let word = self.stream.next();
        let name = match self.stream.peek(0).kind {
            TokenKind::Name(_) => Some(self.name("the claim's name")?),
            _ => None,
        };
        let body = self.body()?;
        self.units.push(Unit::Claim { name, span: word.span, body });
        Ok(())
    }

    fn trace(&mut self, negated: bool) -> Parsed<()> {
        let word = self.stream.next();
        let body = self.body()?;
        self.units.push(Unit::Trace { negated, span: word.span, body });
        Ok(())
    }

    fn formula(&mut self) -> Parsed<()> {
        let word = self.stream.next();
        let name = match self.stream.peek(0).kind {
            TokenKind::Name(_) => Some(self.name("the formula's name")?),
            _ => None,
        };
        self.stream.in_formula = true;
        self.expect(Punct::LeftBrace)?;
        let formula = self.expression();
        self.accept(Punct::Semicolon);
        self.expect(Punct::RightBrace)?;
        self.stream.in_formula = false;
        self.units.push(Unit::Ltl { name, span: word.span, formula });
        Ok(())
    }

    fn inline_definition(&mut self) -> Parsed<()> {
        self.stream.next();
        let name = self.any_name("the inline's name")?;
        self.expect(Punct::LeftParen)?;
        let mut parameters = Vec::new();
        while !self.stream.peek(0).is(Punct::RightParen) {
            parameters.push(self.any_name("a parameter's name")?);
            if self.accept(Punct::Comma).is_none() {
                break;
            }
        }
        self.expect(Punct::RightParen)?;
        let Some(body) = self.stream.take_braced() else {
            let next = self.stream.next();
            self.unexpected(&next, "the inline's body in braces");
            return Err(Lost);
        };
        if let Some(before) = self.inlines.get(&name.text) {
            let first = before.name.span;
            self.report(
                Diagnostic::error(
                    codes::DECLARED_TWICE,
                    name.span,
                    format!("inline `{}` is declared twice", name.text),
                )
                .with_related(first, "first declared here"),
            );
        }
        self.sources.mention(name.span, name.span, NameKind::Inline, Role::Declared);
        self.mention_parameters(&parameters, &body);
        let parameters = parameters.into_iter().map(|parameter| parameter.text).collect();
        let inline = Inline { name: name.clone(), parameters, body: body.into(), is_called: false };
        self.inlines.insert(name.text, inline);
        Ok(())
    }

    fn mention_parameters(&mut self, parameters: &[Name], body: &[Lexeme]) {
        for parameter in parameters {
            self.sources.mention(parameter.span, parameter.span, NameKind::TextParameter, Role::Declared);
        }
        for lexeme in body {
            let TokenKind::Name(text) = &lexeme.kind else { continue };
            if let Some(parameter) = parameters.iter().find(|p| p.text == *text)
                && !self.symbols.contains_key(text)
            {
                self.sources.mention(lexeme.span, parameter.span, NameKind::TextParameter, Role::Used);
            }
        }
    }

    /// Refuses a piece of embedded C and goes on after it.
    fn embedded_c(&mut self) {
        let word = self.stream.next();
        let text = match &word.kind {
            TokenKind::Keyword(keyword) => keyword.text(),
            _ => "C",
        };
        self.report(
            Diagnostic::error(
                codes::EMBEDDED_C,
                word.span,
                format!("embedded C (`{text}`) is not supported"),
            )
            .with_help("express what it computes in Promela"),
        );
        if matches!(word.kind, TokenKind::Keyword(Keyword::CState | Keyword::CTrack)) {
            while matches!(self.stream.peek(0).kind, TokenKind::String(_)) {
                self.stream.next();
            }
            return;
        }
        if self.stream.peek(0).is(Punct::LeftBracket) {
            while !matches!(self.stream.peek(0).kind, TokenKind::Punct(Punct::RightBracket) | TokenKind::End)
            {
                self.stream.next();
            }
            self.stream.next();
        } else {
            // The brace was only looked at; hand it back.
            self.stream.unpeek();
        }
        let _ = self.stream.take_braced();
        self.stream.forget_parentheses();
    }

    fn body(&mut self) -> Parsed<Body> {
        let open = self.expect(Punct::LeftBrace)?;
        let complaints = (self.diagnostics.len(), self.syntax_errors);
        self.calls.clear();
        self.stream.in_sequence = true;
        self.initialization = true;
        self.labels = LabelTable::default();
        self.label_scopes.clear();
        self.scope.clear();
        self.d_step = 0;
        self.enter_scope();
        let sequence = self.sequence(Inside::Braces);
        let end = self.expect(Punct::RightBrace);
        if let (Err(Lost), Some(last)) = (&end, self.diagnostics.last_mut())
            && last.code == codes::UNEXPECTED_TOKEN
        {
            last.related.push(Label { span: open.span, message: "this brace is not closed".into() });
        }
        self.leave_scope();
        self.stream.in_sequence = false;
        self.initialization = true;
        let labels = std::mem::take(&mut self.labels);
        let calls = std::mem::take(&mut self.calls);
        // Where there are too many errors already, further ones are not said.
        let clean = (self.diagnostics.len(), self.syntax_errors) == complaints && complaints.0 < MOST_ERRORS;
        Ok(Body { sequence, labels, open: open.span, end: end?.span, clean, calls })
    }

    fn enter_scope(&mut self) {
        let level = self.scope.len();
        if self.scope_counts.len() <= level {
            self.scope_counts.push(0);
        }
        self.scope_counts[level] += 1;
        self.scope.push(self.scope_counts[level]);
    }

    fn leave_scope(&mut self) {
        self.scope.pop();
    }

    fn scope_path(&self) -> ScopePath {
        self.scope.as_slice().into()
    }

    fn class(&self, name: &str) -> NameClass {
        match self.class_before(name) {
            NameClass::Plain if self.proctypes.contains(name) => NameClass::Proctype,
            class => class,
        }
    }

    fn class_before(&self, name: &str) -> NameClass {
        if self.symbols.contains_key(name) {
            NameClass::Symbol
        } else if self.types.contains_key(name) {
            NameClass::Type
        } else if self.inlines.contains_key(name) && !self.proctypes.contains(name) {
            NameClass::Inline
        } else {
            NameClass::Plain
        }
    }

    fn accept(&mut self, punct: Punct) -> Option<Lexeme> {
        self.stream.peek(0).is(punct).then(|| self.stream.next())
    }

    fn accept_keyword(&mut self, keyword: Keyword) -> Option<Lexeme> {
        self.stream.peek(0).is_keyword(keyword).then(|| self.stream.next())
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Lexeme> {
        if self.stream.peek(0).is(punct) {
            return Ok(self.stream.next());
        }
        let found = self.stream.peek(0).clone();
        self.unexpected(&found, &format!("`{}`", punct.text()));
        Err(Lost)
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Lexeme> {
        if self.stream.peek(0).is_keyword(keyword) {
            return Ok(self.stream.next());
        }
        let found = self.stream.peek(0).clone();
        match &found.kind {
            TokenKind::Name(name) if crate::suggest::closest(name, [keyword.text()]).is_some() => {
                self.syntax_errors += 1;
                let message = format!("expected `{}`, found `{name}`", keyword.text());
                self.report(
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, found.span, message)
                        .with_suggestion(keyword.text()),
                );
            }
            _ => self.unexpected(&found, &format!("`{}`", keyword.text())),
        }
        Err(Lost)
    }

    /// A name that is not yet the name of something else.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let found = self.stream.peek(0).clone();
        let TokenKind::Name(text) = &found.kind else {
            self.no_name(&found, what);
            return Err(Lost);
        };
        let class = match self.class(text) {
            NameClass::Plain => {
                self.stream.next();
                return Ok(Name { text: text.clone(), span: found.span });
            }
            NameClass::Symbol => "an mtype name",
            NameClass::Type => "a typedef",
            NameClass::Proctype => "a proctype",
            NameClass::Inline => "an inline",
        };
        self.syntax_errors += 1;
        self.report(Diagnostic::error(
            codes::UNEXPECTED_TOKEN,
            found.span,
            format!("expected {what}, but `{text}` is {class}"),
        ));
        Err(Lost)
    }

    /// A name, whatever it may already mean.
    fn any_name(&mut self, what: &str) -> Parsed<Name> {
        let found = self.stream.peek(0).clone();
        if let TokenKind::Name(text) = &found.kind {
            self.stream.next();
            return Ok(Name { text: text.clone(), span: found.span });
        }
        self.no_name(&found, what);
        Err(Lost)
    }

    fn no_name(&mut self, found: &Lexeme, what: &str) {
        if self.stream.in_for || !self.is_reserved(found, what) {
            self.unexpected(found, what);
        }
    }

    fn unexpected(&mut self, found: &Lexeme, expected: &str) {
        self.syntax_errors += 1;
        let says_so = |d: &Diagnostic| d.code == codes::UNEXPECTED_TOKEN || d.code == codes::TYPE_AS_NAME;
        if self.diagnostics.last().is_some_and(|d| says_so(d) && d.span == found.span) {
            return;
        }
        if self.is_foreign_formula(expected) {
            return;
        }
        // A formula may come without braces, from the command line, so its end has a name of its own.
        let in_formula = self.stream.in_formula;
        let end_of_formula = "the end of the formula";
        let expected = if in_formula && expected == "`}`" { end_of_formula } else { expected };
        let what = match in_formula && found.is(Punct::RightBrace) {
            true => end_of_formula.to_string(),
            false => describe(&found.kind),
        };
        let mut diagnostic = Diagnostic::error(
            codes::UNEXPECTED_TOKEN,
            found.span,
            format!("expected {expected}, found {what}"),
        );
        if found.is(Punct::Semicolon) && self.sources.text(found.span) != ";" {
            diagnostic.message = format!("expected {expected}, found the end of the line");
            diagnostic.help = Some(
                "SPIN takes the end of this line as `;`: go on in the same line, or use parentheses".into(),
            );
        }
        let operator = matches!(found.kind, TokenKind::Punct(_)) && !found.is(Punct::RightBrace);
        if found.newline && operator && self.stream.in_sequence && expected == "an expression" {
            diagnostic.help =
                Some("SPIN takes the end of the line before as `;`: put the operator there".into());
        }
        let hint = self.hint(found, expected);
        let is_assigned = found.is(Punct::Assign) && !self.stream.in_for;
        if is_assigned && self.operator_before(found.span).is_none_or(|_| expected != "an expression") {
            diagnostic = diagnostic.with_fix(found.span, "==");
        } else if hint.is_none()
            && let Some(missing) = expected.strip_prefix('`').and_then(|e| e.strip_suffix('`'))
            && !missing.contains('`')
        {
            diagnostic =
                diagnostic.with_fix(Span { end: found.span.start, ..found.span }, format!("{missing} "));
        }
        diagnostic.help = hint.or(diagnostic.help);
        self.report(diagnostic);
    }

    fn join(&self, first: Span, last: Span) -> Span {
        self.sources.cover(first, last)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST_ERRORS && !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// One level deeper, or the text is nested too deeply.
    fn deeper(&mut self) -> Parsed<()> {
        if self.depth >= DEEPEST_NESTING {
            if !self.refused {
                self.refused = true;
                let span = self.stream.peek(0).span;
                self.report(Diagnostic::error(codes::NESTED_TOO_DEEPLY, span, "this is nested too deeply"));
            }
            self.syntax_errors += 1;
            return Err(Lost);
        }
        self.depth += 1;
        Ok(())
    }

    fn refuse_inline(&mut self, name: &Name, refusal: InlineRefusal) {
        let (code, message) = match refusal {
            InlineRefusal::Recursive => {
                (codes::RECURSIVE_INLINE, format!("inline `{}` calls itself", name.text))
            }
            InlineRefusal::TooDeep => {
                (codes::NESTED_TOO_DEEPLY, format!("inlines are nested too deeply at `{}`", name.text))
            }
            InlineRefusal::TooLarge => {
                (codes::NESTED_TOO_DEEPLY, format!("the expansion of inline `{}` is too large", name.text))
            }
        };
        self.report(Diagnostic::error(code, name.span, message));
    }
}

const UNIT_WORDS: &[&str] = &[
    "active", "bit", "bool", "byte", "chan", "hidden", "init", "inline", "int", "ltl", "mtype", "never",
    "pid", "proctype", "short", "trace", "typedef", "unsigned",
];

/// A token in a sentence.
fn describe(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Name(text) => format!("`{text}`"),
        TokenKind::Keyword(keyword) => format!("`{}`", keyword.text()),
        TokenKind::Number(value) => format!("`{value}`"),
        TokenKind::String(_) => "a string".into(),
        TokenKind::Punct(punct) => format!("`{}`", punct.text()),
        TokenKind::End => "the end of the text".into(),
    }
}
