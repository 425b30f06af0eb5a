//! The stream of tokens that the parser sees: SPIN's optional semicolons are inserted, `inline` bodies are spliced in.
//!
//! SPIN decides about semicolons between its scanner and its grammar, from the previous token, line ends, and whether it
//! is inside a body and outside parentheses. Whether two lines are one statement or two depends on it, so the rules are
//! reproduced here exactly: see [`TokenStream::separated`].

use crate::hash::HashMap;
use crate::interrupt;
use crate::names::{NameKind, Role};
use crate::source::{Expansion, ExpansionId, ExpansionKind, SourceMap, Span};
use crate::token::{Keyword, Punct, Token, TokenKind};
use std::collections::VecDeque;
use std::rc::Rc;

/// SPIN refuses deeper nesting of inlines.
const DEEPEST_INLINE: usize = 16;
/// So many tokens may come out of inlines in all: nested calls can multiply without end.
pub(crate) const MOST_INLINED_TOKENS: usize = 2_000_000;

/// A token in its place.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub kind: TokenKind,
    pub span: Span,
    /// For an argument of an inline: where the parameter stands that it replaces. A statement is where its anchor is.
    pub anchor: Span,
    /// A line ends between the token before and this one.
    pub newline: bool,
}

impl Lexeme {
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind == TokenKind::Keyword(keyword)
    }
}

/// Why an inline cannot be expanded.
pub(super) enum InlineRefusal {
    Recursive,
    TooDeep,
    TooLarge,
}

/// The variable to which a `return` in an inline assigns.
pub(super) type ReturnTarget = Option<Rc<crate::ast::Reference>>;

/// As much of a token as the rules about separators ask for.
#[derive(Clone, Copy)]
enum Seen {
    Punct(Punct),
    Keyword(Keyword),
    /// A name or a number.
    Value,
    Other,
}

impl Seen {
    fn of(kind: &TokenKind) -> Seen {
        match kind {
            TokenKind::Punct(punct) => Seen::Punct(*punct),
            TokenKind::Keyword(keyword) => Seen::Keyword(*keyword),
            TokenKind::Name(_) | TokenKind::Number(_) => Seen::Value,
            TokenKind::String(_) | TokenKind::End => Seen::Other,
        }
    }
}

struct Frame {
    tokens: Vec<Lexeme>,
    next: usize,
    inline: Option<(Rc<str>, ReturnTarget)>,
}

pub(super) struct TokenStream {
    frames: Vec<Frame>,
    deferred: Vec<Lexeme>,
    reading_deferred: bool,
    ahead: VecDeque<Lexeme>,
    held: Option<Lexeme>,
    /// The last token that was handed out, for the rules about `else` and `}`.
    last: Seen,
    /// The last token that was scanned, for the rule about line ends.
    scanned: Seen,
    scanned_end: Span,
    parentheses: u32,
    /// Where the last token stands that was taken.
    pub taken: Span,
    pub inlined_tokens: usize,
    /// Inside the braces of a body or a typedef, where line ends separate.
    pub in_sequence: bool,
    /// Inside an `ltl` block, where `U V W X` and the words are operators.
    pub in_formula: bool,
    /// Between the parentheses of a `for`, where `in` is a keyword.
    pub in_for: bool,
}

impl TokenStream {
    pub fn new(tokens: Vec<Token>) -> Self {
        let mut lexemes = Vec::with_capacity(tokens.len() + 1);
        lexemes.extend(tokens.into_iter().map(|token| Lexeme {
            kind: token.kind,
            span: token.span,
            anchor: token.span,
            newline: token.starts_line,
        }));
        if lexemes.last().is_none_or(|l| l.kind != TokenKind::End) {
            let span = lexemes.last().map_or(Span::default(), |l| Span { start: l.span.end, ..l.span });
            lexemes.push(Lexeme { kind: TokenKind::End, span, anchor: span, newline: true });
        }
        let end = lexemes[lexemes.len() - 1].clone();
        Self {
            frames: vec![Frame { tokens: lexemes, next: 0, inline: None }],
            deferred: Vec::new(),
            reading_deferred: false,
            ahead: VecDeque::new(),
            held: None,
            last: Seen::Other,
            scanned: Seen::Other,
            scanned_end: end.span,
            parentheses: 0,
            taken: Span::default(),
            inlined_tokens: 0,
            in_sequence: false,
            in_formula: false,
            in_for: false,
        }
    }

    /// The token `distance` ahead, without taking it. Looking further than one ahead is safe only where no inline can be
    /// called in between.
    pub fn peek(&mut self, distance: usize) -> &Lexeme {
        while self.ahead.len() <= distance {
            let lexeme = self.separated();
            self.ahead.push_back(lexeme);
        }
        &self.ahead[distance]
    }

    /// Takes the next token. At the end of the text, the end again and again.
    pub fn next(&mut self) -> Lexeme {
        let lexeme = match self.ahead.pop_front() {
            Some(lexeme) => lexeme,
            None => self.separated(),
        };
        self.taken = lexeme.anchor;
        lexeme
    }

    /// Gives back the one token that was looked at and not taken.
    pub fn unpeek(&mut self) {
        if self.held.is_none() && self.ahead.len() == 1 {
            self.held = self.ahead.pop_front();
        }
    }

    /// Once the text is at its end: go on with the `ltl` blocks, which SPIN reads last. False if there are none.
    pub fn start_deferred(&mut self) -> bool {
        if self.reading_deferred || self.deferred.is_empty() {
            return false;
        }
        self.reading_deferred = true;
        let mut tokens = std::mem::take(&mut self.deferred);
        let main = &self.frames[0].tokens;
        tokens.push(main[main.len() - 1].clone());
        self.frames = vec![Frame { tokens, next: 0, inline: None }];
        self.ahead.clear();
        self.held = None;
        self.last = Seen::Other;
        true
    }

    /// Takes tokens as they stand up to the brace that closes the next opening one, without the outer braces' meaning:
    /// the body of an inline, or C. `None` if there is no opening brace or no closing one.
    pub fn take_braced(&mut self) -> Option<Vec<Lexeme>> {
        // A token that was looked at and could not be handed back is no brace: a separator was pulled in front of it.
        if !self.ahead.is_empty() {
            return None;
        }
        let mut taken = Vec::new();
        if let Some(held) = self.held.take() {
            if !held.is(Punct::LeftBrace) {
                self.held = Some(held);
                return None;
            }
            taken.push(held);
        } else if self.raw().is(Punct::LeftBrace) {
            taken.push(self.take_raw());
        } else {
            return None;
        }
        let mut depth = 1;
        while depth > 0 {
            if self.raw().kind == TokenKind::End {
                return None;
            }
            let lexeme = self.take_raw();
            match lexeme.kind {
                TokenKind::Punct(Punct::LeftBrace) => depth += 1,
                TokenKind::Punct(Punct::RightBrace) => depth -= 1,
                _ => {}
            }
            taken.push(lexeme);
        }
        self.last = Seen::Punct(Punct::RightBrace);
        self.scanned = Seen::Punct(Punct::RightBrace);
        Some(taken)
    }

    /// Puts the body of an inline before everything else. `arguments` has one list of tokens for each parameter.
    #[allow(clippy::too_many_arguments)]
    pub fn expand_inline(
        &mut self,
        name: &crate::ast::Name,
        parameters: &[Rc<str>],
        body: &[Lexeme],
        arguments: &[Vec<Lexeme>],
        target: ReturnTarget,
        defined_at: Span,
        sources: &mut SourceMap,
    ) -> Result<(), InlineRefusal> {
        debug_assert!(self.ahead.is_empty());
        if self.frames.iter().any(|f| f.inline.as_ref().is_some_and(|(n, _)| *n == name.text)) {
            return Err(InlineRefusal::Recursive);
        }
        if self.frames.len() > DEEPEST_INLINE {
            return Err(InlineRefusal::TooDeep);
        }
        let expansion = sources.add_expansion(Expansion {
            kind: ExpansionKind::Inline,
            name: name.text.as_ref().into(),
            used_at: name.span,
            defined_at,
        });
        sources.mention(name.span, defined_at, NameKind::Inline, Role::Used);
        let mut rebased = HashMap::default();
        let mut tokens = Vec::with_capacity(body.len());
        for lexeme in body {
            let anchor = Span {
                expansion: rebase(lexeme.span.expansion, expansion, &mut rebased, sources),
                ..lexeme.span
            };
            let argument = match &lexeme.kind {
                TokenKind::Name(text) => parameters.iter().position(|p| p == text),
                _ => None,
            };
            match argument {
                Some(index) => {
                    for (position, token) in arguments[index].iter().enumerate() {
                        let newline = position == 0 && lexeme.newline;
                        tokens.push(Lexeme { anchor, newline, ..token.clone() });
                    }
                }
                None => tokens.push(Lexeme { span: anchor, anchor, ..lexeme.clone() }),
            }
            if tokens.len() > MOST_INLINED_TOKENS {
                return Err(InlineRefusal::TooLarge);
            }
        }
        self.inlined_tokens += tokens.len();
        if self.inlined_tokens > MOST_INLINED_TOKENS {
            return Err(InlineRefusal::TooLarge);
        }
        self.frames.push(Frame { tokens, next: 0, inline: Some((name.text.clone(), target)) });
        self.scanned = Seen::Punct(Punct::Semicolon);
        Ok(())
    }

    /// The innermost inline that is being read.
    pub fn inline_name(&self) -> Option<&Rc<str>> {
        self.frames.iter().rev().find_map(|f| f.inline.as_ref()).map(|(name, _)| name)
    }

    /// Inside an inline: where its `return` assigns, if it was called in an assignment.
    pub fn return_target(&self) -> Option<&ReturnTarget> {
        self.frames.iter().rev().find_map(|f| f.inline.as_ref()).map(|(_, target)| target)
    }

    /// After a syntax error parentheses may not balance.
    pub fn forget_parentheses(&mut self) {
        self.parentheses = 0;
    }

    /// The next tokens come out of an inline.
    pub fn in_inline(&self) -> bool {
        self.frames.len() > 1
    }

    fn raw(&mut self) -> &Lexeme {
        while self.frames.len() > 1
            && self.frames[self.frames.len() - 1].next >= self.frames[self.frames.len() - 1].tokens.len()
        {
            self.frames.pop();
        }
        let frame = &self.frames[self.frames.len() - 1];
        &frame.tokens[frame.next.min(frame.tokens.len() - 1)]
    }

    fn take_raw(&mut self) -> Lexeme {
        self.raw();
        let index = self.frames.len() - 1;
        let frame = &mut self.frames[index];
        let at = frame.next.min(frame.tokens.len() - 1);
        frame.next += 1;
        // Nobody comes back to it, but for the end of the text, which remains one.
        let taken = &mut frame.tokens[at];
        Lexeme { kind: std::mem::replace(&mut taken.kind, TokenKind::End), ..*taken }
    }

    /// A token, or the separator that a line end stands for.
    fn scan(&mut self) -> Lexeme {
        loop {
            let (newline, span, anchor) = {
                let raw = self.raw();
                (raw.newline, raw.span, raw.anchor)
            };
            if newline && self.in_sequence && self.parentheses == 0 && self.line_end_separates() {
                self.scanned = Seen::Punct(Punct::Semicolon);
                return self.separator(span, anchor);
            }
            let mut lexeme = self.take_raw();
            if lexeme.is_keyword(Keyword::Ltl) && !self.reading_deferred {
                self.defer_formula(lexeme);
                continue;
            }
            lexeme.kind = self.in_context(lexeme.kind);
            match lexeme.kind {
                TokenKind::Punct(Punct::LeftParen) => self.parentheses += 1,
                TokenKind::Punct(Punct::RightParen) => self.parentheses = self.parentheses.saturating_sub(1),
                TokenKind::Punct(Punct::LeftBrace | Punct::RightBrace | Punct::DoubleColon) => {
                    self.parentheses = 0
                }
                _ => {}
            }
            self.scanned = Seen::of(&lexeme.kind);
            self.scanned_end = lexeme.span;
            return lexeme;
        }
    }

    fn separator(&self, span: Span, anchor: Span) -> Lexeme {
        // The missing separator is where the previous token ends, if that is in the same text.
        let end = self.scanned_end;
        let place = if end.file == span.file && end.expansion == span.expansion && end.end <= span.start {
            Span { start: end.end, ..end }
        } else {
            Span { end: span.start, ..span }
        };
        let anchor = if anchor == span { place } else { anchor };
        Lexeme { kind: TokenKind::Punct(Punct::Semicolon), span: place, anchor, newline: false }
    }

    /// Not after `}`: what follows decides whether a separator is missing there, so that `unless` may begin a line.
    fn line_end_separates(&self) -> bool {
        match self.scanned {
            Seen::Punct(p) => {
                matches!(p, Punct::RightParen | Punct::RightBracket | Punct::PlusPlus | Punct::MinusMinus)
            }
            Seen::Keyword(k) => match k {
                Keyword::Od | Keyword::Fi | Keyword::Else | Keyword::Break => true,
                Keyword::Skip | Keyword::True | Keyword::False => true,
                // Outside inlines SPIN reads `timeout` as `(timeout)`.
                Keyword::Timeout => !self.in_inline(),
                _ => false,
            },
            Seen::Value => true,
            Seen::Other => false,
        }
    }

    /// Words that are keywords only in some places.
    fn in_context(&self, kind: TokenKind) -> TokenKind {
        match kind {
            TokenKind::Keyword(keyword) => {
                let word = match keyword {
                    Keyword::Always
                    | Keyword::Equivalent
                    | Keyword::Eventually
                    | Keyword::Implies
                    | Keyword::Next
                    | Keyword::Release
                    | Keyword::StrongUntil
                    | Keyword::Until
                    | Keyword::WeakUntil => self.in_formula,
                    Keyword::In => self.in_for,
                    _ => true,
                };
                if word { kind } else { TokenKind::Name(keyword.text().into()) }
            }
            TokenKind::Punct(Punct::Arrow) if self.in_formula => TokenKind::Keyword(Keyword::Implies),
            TokenKind::Name(ref text) if self.in_formula => match &**text {
                "U" => TokenKind::Keyword(Keyword::Until),
                "V" => TokenKind::Keyword(Keyword::Release),
                "W" => TokenKind::Keyword(Keyword::WeakUntil),
                "X" => TokenKind::Keyword(Keyword::Next),
                _ => kind,
            },
            _ => kind,
        }
    }

    fn defer_formula(&mut self, keyword: Lexeme) {
        self.deferred.push(keyword);
        let mut depth = 0;
        loop {
            if self.raw().kind == TokenKind::End {
                return;
            }
            let lexeme = self.take_raw();
            let closes = lexeme.is(Punct::RightBrace);
            depth += i32::from(lexeme.is(Punct::LeftBrace)) - i32::from(closes);
            self.deferred.push(lexeme);
            if closes && depth <= 0 {
                return;
            }
        }
    }

    /// SPIN's repair of forgotten and superfluous separators: one is inserted after `else` and after `}` unless what
    /// follows makes it wrong, and one before `}` or another separator is dropped.
    fn separated(&mut self) -> Lexeme {
        interrupt::point();
        let mut lexeme = match self.held.take() {
            Some(held) => {
                self.scanned = Seen::of(&held.kind);
                held
            }
            None => {
                let lexeme = self.scan();
                if self.inserts_separator_before(&lexeme.kind) {
                    let separator = self.separator(lexeme.span, lexeme.anchor);
                    self.held = Some(lexeme);
                    self.last = Seen::Punct(Punct::Semicolon);
                    return separator;
                }
                lexeme
            }
        };
        if is_separator(&lexeme.kind) && self.held.is_none() {
            let after = self.scan();
            if after.is(Punct::RightBrace) || is_separator(&after.kind) {
                lexeme = after;
            } else {
                self.held = Some(after);
            }
        }
        self.last = Seen::of(&lexeme.kind);
        lexeme
    }

    fn inserts_separator_before(&self, next: &TokenKind) -> bool {
        match self.last {
            Seen::Keyword(Keyword::Else) => !(is_separator(next) || *next == TokenKind::Keyword(Keyword::Fi)),
            Seen::Punct(Punct::RightBrace) => {
                let fits = match next {
                    TokenKind::Keyword(keyword) => matches!(
                        keyword,
                        Keyword::Proctype
                            | Keyword::Init
                            | Keyword::Never
                            | Keyword::Fi
                            | Keyword::Od
                            | Keyword::Unless
                    ),
                    TokenKind::Punct(punct) => matches!(punct, Punct::DoubleColon | Punct::RightBrace),
                    TokenKind::End => true,
                    _ => false,
                };
                !(fits || is_separator(next))
            }
            _ => false,
        }
    }
}

fn is_separator(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Punct(Punct::Semicolon | Punct::Arrow))
}

/// The expansion inside the body of an inline, as seen from one use of the inline.
fn rebase(
    inner: ExpansionId,
    outer: ExpansionId,
    rebased: &mut HashMap<ExpansionId, ExpansionId>,
    sources: &mut SourceMap,
) -> ExpansionId {
    if let Some(&known) = rebased.get(&inner) {
        return known;
    }
    let result = match sources.expansion(inner).cloned() {
        None => outer,
        Some(expansion) => {
            let used_in = rebase(expansion.used_at.expansion, outer, rebased, sources);
            let used_at = Span { expansion: used_in, ..expansion.used_at };
            sources.add_expansion(Expansion { used_at, ..expansion })
        }
    };
    rebased.insert(inner, result);
    result
}
