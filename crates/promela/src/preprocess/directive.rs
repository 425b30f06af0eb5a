//! What lines that begin with `#` say.

use crate::hash::HashMap;
use std::rc::Rc;

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Piece, PieceKind, Symbol};
use crate::names::{NameKind, Role};
use crate::source::Span;
use crate::suggest::closest;
use crate::token::Punct;

use super::condition;
use super::macros::{Form, Macro};
use super::{MAX_INCLUDE_DEPTH, Preprocessor};

const DIRECTIVES: [&str; 13] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning",
    "line", "pragma",
];

/// What an include costs even if the file is empty, so that files that include each other twice come to an end.
const COST_OF_INCLUDE: usize = 100;

/// An open `#if`.
pub struct Conditional {
    /// The directive that opened it.
    opened_at: Span,
    /// One of its groups has been read, so that the others are not.
    taken: bool,
    /// Its `#else`.
    else_at: Option<Span>,
}

/// Directives that open, divide and close conditionals.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branch {
    Open,
    Elif,
    Else,
    Endif,
}

impl Conditional {
    /// The complaint about a conditional that is open at the end of its file.
    pub fn unterminated(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(
            codes::UNTERMINATED_CONDITIONAL,
            self.opened_at,
            "this conditional does not end",
        )
        .with_help("add `#endif` where it ends");
        match self.else_at {
            Some(span) => diagnostic.with_related(span, "its `#else` is here"),
            None => diagnostic,
        }
    }
}

impl Preprocessor<'_> {
    /// Reads and obeys the directive whose `#` is the next piece of the innermost file.
    pub(super) fn obey_directive(&mut self) {
        let line = self.take_line();
        // The line has at least its `#`.
        let Some((hash, line)) = line.split_first() else { return };
        let Some((word, rest)) = line.split_first() else { return };
        let at = Span { end: word.span.end, ..hash.span };
        let symbol = match word.kind {
            PieceKind::Name(symbol) => symbol,
            PieceKind::Number(_) => return self.line_marker(line, at),
            _ => return self.unknown_directive(None, at),
        };
        let text = self.interner.text(symbol).clone();
        match &*text {
            "define" => self.define(rest, at),
            "undef" => self.undefine(rest, at),
            "include" | "import" => self.include(rest, at, &text),
            "if" => {
                let value = self.condition(rest, at);
                self.open_conditional(at, value);
            }
            "ifdef" | "ifndef" => {
                let name = self.single_name(rest, at, &text);
                let defined = name.is_some_and(|symbol| self.find_macro(symbol).is_some());
                self.open_conditional(at, defined == (&*text == "ifdef"));
            }
            "elif" | "else" | "endif" => self.divide_conditional(&text, rest, at),
            "error" => {
                let message = self.rest_of_line(rest);
                let message = if message.is_empty() { "the text says `#error`".to_owned() } else { message };
                self.diagnostics.push(Diagnostic::error(codes::ERROR_DIRECTIVE, at, message));
            }
            "warning" => {
                let message = self.rest_of_line(rest);
                let message =
                    if message.is_empty() { "the text says `#warning`".to_owned() } else { message };
                self.diagnostics.push(Diagnostic::warning(codes::WARNING_DIRECTIVE, at, message));
            }
            "line" => {
                let expanded = self.expand_alone(rest.to_vec());
                self.line_marker(&expanded, at);
            }
            "pragma" => self.pragma(rest, at),
            "ident" | "sccs" => {}
            _ => self.unknown_directive(Some(&text), at),
        }
    }

    /// The pieces from the `#` to the end of the logical line.
    fn take_line(&mut self) -> Vec<Piece> {
        let Some(file) = self.files.last_mut() else { return Vec::new() };
        let start = file.next;
        // The End is first on its line.
        let length = file.pieces[start + 1..].iter().position(|p| p.first_on_line).unwrap_or(0);
        file.next = start + 1 + length;
        file.pieces[start..file.next].to_vec()
    }

    fn unknown_directive(&mut self, word: Option<&str>, at: Span) {
        let message = match word {
            Some(word) => format!("`#{word}` is no directive"),
            None => "`#` at the beginning of a line must be followed by a directive".to_owned(),
        };
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, at, message);
        if let Some(near) = word.and_then(|word| closest(word, DIRECTIVES)) {
            diagnostic = diagnostic.with_help(format!("did you mean `#{near}`?"));
        }
        self.diagnostics.push(diagnostic);
    }

    fn malformed(&mut self, at: Span, message: impl Into<String>, help: &str) {
        self.diagnostics.push(Diagnostic::error(codes::MALFORMED_DIRECTIVE, at, message).with_help(help));
    }

    fn warn_of_extra(&mut self, rest: &[Piece], directive: &str) {
        if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
            let span = Span { end: last.span.end, ..first.span };
            self.diagnostics.push(
                Diagnostic::warning(
                    codes::EXTRA_TEXT,
                    span,
                    format!("the text behind `#{directive}` is ignored"),
                )
                .with_help("make it a comment: `// …`"),
            );
        }
    }

    fn rest_of_line(&self, rest: &[Piece]) -> String {
        match (rest.first(), rest.last()) {
            (Some(first), Some(last)) => self
                .sources
                .text(Span { end: last.span.end, ..first.span })
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            _ => String::new(),
        }
    }

    /// The one name that `#ifdef`, `#ifndef` and `#undef` need.
    fn single_name(&mut self, rest: &[Piece], at: Span, directive: &str) -> Option<Symbol> {
        match rest.split_first() {
            Some((Piece { kind: PieceKind::Name(symbol), .. }, extra)) => {
                self.warn_of_extra(extra, directive);
                self.mention_macro(*symbol, rest[0].span);
                Some(*symbol)
            }
            Some((other, _)) => {
                self.malformed(
                    other.span,
                    format!("`#{directive}` needs the name of a macro"),
                    "names begin with a letter or `_`",
                );
                None
            }
            None => {
                self.malformed(
                    at,
                    format!("`#{directive}` needs the name of a macro"),
                    "write the name behind it",
                );
                None
            }
        }
    }

    fn define(&mut self, rest: &[Piece], at: Span) {
        let Some((name, body)) = rest.split_first() else {
            return self.malformed(at, "`#define` needs a name", "write `#define NAME value`");
        };
        let PieceKind::Name(symbol) = name.kind else {
            let diagnostic = Diagnostic::error(
                codes::BAD_MACRO_DEFINITION,
                name.span,
                "the name of a macro must be a name",
            )
            .with_help("names begin with a letter or `_`");
            return self.diagnostics.push(diagnostic);
        };
        if !self.may_be_defined(symbol, name.span) {
            return;
        }
        let definition = match Macro::parse(name, body, self.names.variadic, &self.interner) {
            Ok(definition) => definition,
            Err(diagnostic) => return self.diagnostics.push(*diagnostic),
        };
        if let Some(old) = self.find_macro(symbol)
            && !old.same_as(&definition)
        {
            let text = self.interner.text(symbol);
            let diagnostic = Diagnostic::warning(
                codes::MACRO_REDEFINED,
                name.span,
                format!("the macro `{text}` is defined a second time"),
            )
            .with_related(old.defined_at, "the first definition, which differs")
            .with_help(format!("write `#undef {text}` before it if that is meant"));
            self.diagnostics.push(diagnostic);
        }
        self.sources.mention(name.span, name.span, NameKind::Macro, Role::Declared);
        if let Form::Function { parameters, .. } = &definition.form {
            self.mention_parameters(parameters, body);
        }
        self.set_macro(symbol, Some(definition));
    }

    /// The parameters of a macro, as they are declared and wherever they stand in its body.
    fn mention_parameters(&mut self, parameters: &[Symbol], pieces: &[Piece]) {
        let mut declared: HashMap<Symbol, Span> = HashMap::default();
        for piece in pieces {
            let PieceKind::Name(symbol) = piece.kind else { continue };
            if parameters.contains(&symbol) {
                let first = *declared.entry(symbol).or_insert(piece.span);
                let role = if first == piece.span { Role::Declared } else { Role::Used };
                self.sources.mention(piece.span, first, NameKind::TextParameter, role);
            }
        }
    }

    /// A macro that is asked about and not expanded.
    fn mention_macro(&mut self, symbol: Symbol, at: Span) {
        if let Some(definition) = self.find_macro(symbol).cloned()
            && !matches!(definition.form, Form::Builtin(_))
        {
            self.sources.mention(at, definition.defined_at, NameKind::Macro, Role::Used);
        }
    }

    fn undefine(&mut self, rest: &[Piece], at: Span) {
        if let Some(symbol) = self.single_name(rest, at, "undef")
            && self.may_be_defined(symbol, rest[0].span)
        {
            self.set_macro(symbol, None);
        }
    }

    fn may_be_defined(&mut self, symbol: Symbol, at: Span) -> bool {
        let is_builtin = self.find_macro(symbol).is_some_and(|old| matches!(old.form, Form::Builtin(_)));
        let is_special = symbol == self.names.defined || symbol == self.names.variadic;
        if is_builtin || is_special {
            let message =
                format!("`{}` has a meaning of its own and cannot be a macro", self.interner.text(symbol));
            self.diagnostics.push(Diagnostic::error(codes::BAD_MACRO_DEFINITION, at, message));
        }
        !(is_builtin || is_special)
    }

    fn open_conditional(&mut self, opened_at: Span, value: bool) {
        if let Some(file) = self.files.last_mut() {
            file.conditionals.push(Conditional { opened_at, taken: value, else_at: None });
        }
        if !value {
            self.skip_group();
        }
    }

    /// `#elif`, `#else` or `#endif` at the end of a group that was read.
    fn divide_conditional(&mut self, directive: &str, rest: &[Piece], at: Span) {
        let branch = branch_of(directive);
        if self.divide(branch, directive, at) {
            if branch != Some(Branch::Elif) {
                self.warn_of_extra(rest, directive);
            }
            if branch != Some(Branch::Endif) {
                self.skip_group();
            }
        }
    }

    /// Notes the directive in the innermost conditional of the file; false if it is out of place.
    fn divide(&mut self, branch: Option<Branch>, directive: &str, at: Span) -> bool {
        let conditionals = self.files.last_mut().map(|file| &mut file.conditionals);
        let Some((conditionals, conditional)) = conditionals.and_then(|all| {
            let last = all.len().checked_sub(1)?;
            Some((all, last))
        }) else {
            let diagnostic =
                Diagnostic::error(codes::MISPLACED_CONDITIONAL, at, format!("`#{directive}` without `#if`"));
            self.diagnostics.push(diagnostic);
            return false;
        };
        if branch == Some(Branch::Endif) {
            conditionals.pop();
            return true;
        }
        let conditional = &mut conditionals[conditional];
        if let Some(else_at) = conditional.else_at {
            let opened_at = conditional.opened_at;
            self.diagnostics.push(
                Diagnostic::error(codes::MISPLACED_CONDITIONAL, at, format!("`#{directive}` behind `#else`"))
                    .with_related(else_at, "the `#else`")
                    .with_related(opened_at, "the conditional begins here"),
            );
        } else if branch == Some(Branch::Else) {
            conditional.else_at = Some(at);
        }
        true
    }

    /// Skips to the next group that is to be read, or behind the `#endif`.
    fn skip_group(&mut self) {
        let mut nesting = 0usize;
        loop {
            let Some((directive, branch, at, rest)) = self.next_branch() else { return };
            match branch {
                Branch::Open => nesting += 1,
                Branch::Endif if nesting > 0 => nesting -= 1,
                _ if nesting > 0 => {}
                _ => {
                    if !self.divide(Some(branch), &directive, at) {
                        return;
                    }
                    if branch != Branch::Elif {
                        self.warn_of_extra(&rest, &directive);
                    }
                    if branch == Branch::Endif
                        || (!self.is_taken() && (branch == Branch::Else || self.condition(&rest, at)))
                    {
                        self.set_taken();
                        return;
                    }
                }
            }
        }
    }

    fn is_taken(&self) -> bool {
        self.files
            .last()
            .and_then(|file| file.conditionals.last())
            .is_some_and(|conditional| conditional.taken)
    }

    fn set_taken(&mut self) {
        if let Some(conditional) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
            conditional.taken = true;
        }
    }

    /// Passes over pieces up to and including the line of the next conditional directive. `None` at the file's end.
    fn next_branch(&mut self) -> Option<(Rc<str>, Branch, Span, Vec<Piece>)> {
        loop {
            let file = self.files.last_mut()?;
            let hash = file.pieces[file.next];
            match hash.kind {
                PieceKind::End => return None,
                PieceKind::Hash if hash.first_on_line => {}
                _ => {
                    file.next += 1;
                    continue;
                }
            }
            let line = self.take_line();
            if let [hash, word, rest @ ..] = line.as_slice()
                && let PieceKind::Name(symbol) = word.kind
            {
                let text = self.interner.text(symbol).clone();
                if let Some(branch) = branch_of(&text) {
                    return Some((text, branch, Span { end: word.span.end, ..hash.span }, rest.to_vec()));
                }
            }
        }
    }

    /// The value of a condition; false when it has none, which is then said.
    fn condition(&mut self, rest: &[Piece], at: Span) -> bool {
        let last = rest.last().map_or(at, |piece| piece.span);
        let expanded = self.expand_condition(rest.to_vec());
        if self.exhausted {
            return false;
        }
        match condition::evaluate(&expanded, &self.interner) {
            Ok(value) => value,
            Err(problem) => {
                let span = problem.span.unwrap_or(last);
                self.diagnostics.push(Diagnostic::error(codes::BAD_CONDITION, span, problem.message));
                false
            }
        }
    }

    /// The pieces of a condition with macros expanded and `defined …` replaced by its value.
    fn expand_condition(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        let outer_floor = self.enter_floor(pieces);
        let mut expanded = Vec::new();
        loop {
            let mut piece = self.next();
            if piece.kind == PieceKind::End {
                break;
            }
            if piece.kind == PieceKind::Name(self.names.defined) {
                piece = self.defined(piece);
            }
            expanded.push(piece);
        }
        self.leave_floor(outer_floor);
        expanded
    }

    /// The value of `defined X` or `defined(X)`, whose first word has been read.
    fn defined(&mut self, word: Piece) -> Piece {
        let mut name = self.take();
        let parenthesis = name.kind == PieceKind::Punct(Punct::LeftParen);
        if parenthesis {
            name = self.take();
        }
        let PieceKind::Name(symbol) = name.kind else {
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_CONDITION, word.span, "`defined` needs the name of a macro")
                    .with_help("write `defined(NAME)`"),
            );
            return Piece { kind: PieceKind::Number(self.interner.intern("0")), ..word };
        };
        if parenthesis && self.take().kind != PieceKind::Punct(Punct::RightParen) {
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_CONDITION, name.span, "`defined(` has no closing `)`")
                    .with_help("write `defined(NAME)`"),
            );
        }
        self.mention_macro(symbol, name.span);
        let value = if self.find_macro(symbol).is_some() { "1" } else { "0" };
        Piece { kind: PieceKind::Number(self.interner.intern(value)), ..word }
    }

    fn include(&mut self, rest: &[Piece], at: Span, directive: &str) {
        let Some(name) = self.name_to_include(rest, at) else { return };
        if self.files.len() >= MAX_INCLUDE_DEPTH {
            let message = format!(
                "more than {MAX_INCLUDE_DEPTH} files include each other; the innermost one is `{name}`"
            );
            let diagnostic = Diagnostic::error(codes::INCLUDE_TOO_DEEP, at, message)
                .with_help("guard the file with `#ifndef NAME`, `#define NAME`, … `#endif`");
            return self.diagnostics.push(diagnostic);
        }
        let included_from = self.files.last().map(|file| file.name.clone()).unwrap_or_default();
        match self.includes.load(&name, &included_from) {
            Ok((shown_name, text)) => {
                if self.read_once.contains(&shown_name) {
                    return;
                }
                if directive == "import" {
                    self.read_once.insert(shown_name.clone());
                }
                let file = self.sources.add_file(shown_name, text);
                let beginning = Span { file, ..Span::default() };
                let written =
                    Span { end: rest.last().map_or(at.end, |piece| piece.span.end), ..rest[0].span };
                self.sources.mention(written, beginning, NameKind::File, Role::Used);
                self.open(file);
                let pieces = self.files.last().map_or(0, |file| file.pieces.len());
                self.spend(COST_OF_INCLUDE + pieces, at, "the files included here have");
            }
            Err(reason) => {
                let message = format!("cannot include `{name}`: {reason}");
                self.diagnostics.push(Diagnostic::error(codes::INCLUDE_FAILED, at, message));
            }
        }
    }

    /// The name between quotes or angle brackets, which may come out of a macro.
    fn name_to_include(&mut self, rest: &[Piece], at: Span) -> Option<String> {
        let expanded;
        let pieces = match rest.first().map(|piece| piece.kind) {
            Some(PieceKind::Name(_)) => {
                expanded = self.expand_alone(rest.to_vec());
                &expanded
            }
            _ => rest,
        };
        let name = match pieces.split_first() {
            Some((Piece { kind: PieceKind::String(symbol), .. }, extra)) => {
                let text = self.interner.text(*symbol).clone();
                self.warn_of_extra(extra, "include");
                Some(text[1..text.len() - 1].to_owned())
            }
            Some((Piece { kind: PieceKind::Punct(Punct::Less), span, .. }, behind)) => {
                let close = behind.iter().position(|piece| piece.kind == PieceKind::Punct(Punct::Greater));
                close.map(|close| {
                    self.warn_of_extra(&behind[close + 1..], "include");
                    let written = Span { start: span.end, end: behind[close].span.start, ..*span };
                    self.sources.text(written).trim().to_owned()
                })
            }
            _ => None,
        };
        let name = name.filter(|name| !name.is_empty());
        if name.is_none() {
            let span = pieces.first().map_or(at, |piece| piece.span);
            self.malformed(span, "`#include` needs the name of a file", "write `#include \"file\"`");
        }
        name
    }

    /// `#line 12 "file"` or `# 12 "file" 2`: only `__LINE__` and `__FILE__` follow it; messages show the real place.
    fn line_marker(&mut self, pieces: &[Piece], at: Span) {
        let number = match pieces.first().map(|piece| piece.kind) {
            Some(PieceKind::Number(symbol)) => self.interner.text(symbol).parse::<u32>().ok(),
            _ => None,
        };
        let name = match pieces.get(1).map(|piece| piece.kind) {
            Some(PieceKind::String(symbol)) => {
                let text = self.interner.text(symbol);
                Some(Some(unescaped(&text[1..text.len() - 1])))
            }
            Some(_) => None,
            None => Some(None),
        };
        let (Some(number), Some(name)) = (number, name) else {
            return self.malformed(
                at,
                "a line marker needs a number and perhaps a file name",
                "write `#line 12 \"file\"`",
            );
        };
        let here = i64::from(self.sources.line(at));
        if let Some(file) = self.files.last_mut() {
            file.line_shift = i64::from(number) - (here + 1);
            if let Some(name) = name {
                file.presumed_name = name.into();
            }
        }
    }

    fn pragma(&mut self, rest: &[Piece], at: Span) {
        let is_once = matches!(rest, [Piece { kind: PieceKind::Name(word), .. }] if &**self.interner.text(*word) == "once");
        if is_once && self.files.len() > 1 {
            if let Some(file) = self.files.last() {
                self.read_once.insert(file.name.to_string());
            }
        } else {
            self.diagnostics.push(
                Diagnostic::warning(codes::PRAGMA_IGNORED, at, "`#pragma` is ignored")
                    .with_label("SPIN stops at this line"),
            );
        }
    }
}

fn branch_of(directive: &str) -> Option<Branch> {
    match directive {
        "if" | "ifdef" | "ifndef" => Some(Branch::Open),
        "elif" => Some(Branch::Elif),
        "else" => Some(Branch::Else),
        "endif" => Some(Branch::Endif),
        _ => None,
    }
}

/// The text of a string literal as a file name: a backslash only protects what is behind it.
fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => result.extend(letters.next()),
            _ => result.push(letter),
        }
    }
    result
}
