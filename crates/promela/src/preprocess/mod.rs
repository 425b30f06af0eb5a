//! From a file to the tokens of the model: directives, conditionals, includes and macros, as `gcc -std=gnu99 -E -x c`
//! treats them for SPIN, but without gcc's own macros (`linux`, `unix`, …) and with `N` expanded in `0..N`.
//!
//! - [`directive`]: what lines that begin with `#` say;
//! - [`condition`]: the value of the expression of `#if`;
//! - [`macros`]: what a `#define` says;
//! - [`expand`]: what becomes of a use of a macro;
//! - [`convert`]: from preprocessing tokens to tokens.
//!
//! Invariants: nothing here recurses deeper than [`MAX_ARGUMENT_DEPTH`]; every piece that an expansion makes or an include
//! brings is paid for out of a budget, so that the time is bounded by a constant times budget and text, whatever the
//! macros; when the budget is spent there is one error and no token but the end.

mod condition;
mod convert;
mod directive;
mod expand;
mod macros;

#[cfg(test)]
mod tests;

use crate::hash::HashSet;
use std::rc::Rc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::interrupt;
use crate::lexer::{Interner, Piece, PieceKind, Symbol, lex};
use crate::source::{FileId, SourceMap, Span};
use crate::token::{Punct, Token, TokenKind};
use crate::{IncludeLoader, Options};

use directive::Conditional;
use expand::{Context, Origin};
use macros::{Builtin, Macro};

/// How many pieces macros and includes may bring; a real model needs a small part of it.
pub(crate) const BUDGET: usize = 4_000_000;
/// How many macros may be open inside each other.
const MAX_NESTING: usize = 1000;
/// How many uses of macros may stand inside each other's arguments; this is the only recursion.
const MAX_ARGUMENT_DEPTH: usize = 200;
/// How many errors, and how many warnings, are said.
pub(crate) const MAX_DIAGNOSTICS: usize = 1000;
/// How many files may be open at once.
const MAX_INCLUDE_DEPTH: usize = 64;

/// The tokens of a file after preprocessing, the last one [`TokenKind::End`], and what is to be said about the text.
pub fn tokenize(
    sources: &mut SourceMap,
    file: FileId,
    options: &Options,
    includes: &dyn IncludeLoader,
) -> (Vec<Token>, Vec<Diagnostic>) {
    let Preprocessed { tokens, diagnostics, .. } = preprocess(sources, file, options, includes);
    (tokens, diagnostics)
}

/// The same, with what [`crate::again`] asks about it.
pub(crate) fn preprocess(
    sources: &mut SourceMap,
    file: FileId,
    options: &Options,
    includes: &dyn IncludeLoader,
) -> Preprocessed {
    let mut preprocessor = Preprocessor::new(sources, includes);
    preprocessor.apply(options);
    let tokens = preprocessor.run(file);
    Preprocessed {
        tokens,
        braces: preprocessor.braces,
        spent: BUDGET - preprocessor.budget,
        diagnostics: worth_saying(preprocessor.diagnostics),
    }
}

/// What becomes of a text.
pub(crate) struct Preprocessed {
    /// The last is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// Where braces stand in the file itself: not in one that it includes, and no macro had to do with them, not even as its argument.
    pub braces: Vec<u32>,
    /// So much of [`BUDGET`] is gone.
    pub spent: usize,
    pub diagnostics: Vec<Diagnostic>,
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    includes: &'a dyn IncludeLoader,
    diagnostics: Vec<Diagnostic>,
    interner: Interner,
    names: SpecialNames,
    /// Indexed by symbol.
    macros: Vec<Option<Rc<Macro>>>,
    /// The files that are being read, the innermost last.
    files: Vec<OpenFile>,
    /// Files that said `#pragma once`.
    read_once: HashSet<String>,
    /// The expansions that are being read, the innermost last.
    contexts: Vec<Context>,
    /// While an argument or the line of a directive is being expanded: the contexts below this one are out of reach.
    floor: Option<usize>,
    argument_depth: usize,
    call: CallState,
    /// For each expansion that was recorded, in order, where it began.
    origins: Vec<Origin>,
    first_expansion: u32,
    /// The next value of `__COUNTER__`.
    counter: u32,
    budget: usize,
    /// The budget is spent: everything has ended.
    exhausted: bool,
    /// A macro that began a line has vanished, so that the next token begins it.
    pending_newline: bool,
    range: RangeState,
    braces: Vec<u32>,
}

/// Symbols that the preprocessor itself knows.
struct SpecialNames {
    defined: Symbol,
    variadic: Symbol,
}

/// A file that is being read.
struct OpenFile {
    name: Rc<str>,
    pieces: Vec<Piece>,
    next: usize,
    conditionals: Vec<Conditional>,
    /// What `#line` says: to be added to the number of a line.
    line_shift: i64,
    /// What `#line` or the file's own name says `__FILE__` is.
    presumed_name: Rc<str>,
}

/// What is being looked for in a file: as with gcc, a call does not reach beyond the end of its file, nor over a directive
/// between its name and its parenthesis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallState {
    Outside,
    SeekingParenthesis,
    CollectingArguments,
}

/// How much of `0..N`, written without blanks, has just been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RangeState {
    Elsewhere,
    AfterNumber,
    AfterDots,
}

impl<'a> Preprocessor<'a> {
    fn new(sources: &'a mut SourceMap, includes: &'a dyn IncludeLoader) -> Self {
        let mut interner = Interner::default();
        let names =
            SpecialNames { defined: interner.intern("defined"), variadic: interner.intern("__VA_ARGS__") };
        let mut preprocessor = Preprocessor {
            sources,
            includes,
            diagnostics: Vec::new(),
            interner,
            names,
            macros: Vec::new(),
            files: Vec::new(),
            read_once: HashSet::default(),
            contexts: Vec::new(),
            floor: None,
            argument_depth: 0,
            call: CallState::Outside,
            origins: Vec::new(),
            first_expansion: 1,
            counter: 0,
            budget: BUDGET,
            exhausted: false,
            pending_newline: false,
            range: RangeState::Elsewhere,
            braces: Vec::new(),
        };
        for builtin in [Builtin::File, Builtin::Line, Builtin::Counter] {
            let symbol = preprocessor.interner.intern(builtin.name());
            preprocessor.set_macro(symbol, Some(Macro::builtin(builtin)));
        }
        preprocessor
    }

    /// The command line is a file of directives, so that its mistakes have places too.
    fn apply(&mut self, options: &Options) {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let mut text = String::new();
        for (name, value) in &options.defines {
            text.push_str(&format!("#define {} {}\n", one_line(name), one_line(value)));
        }
        for name in &options.undefines {
            text.push_str(&format!("#undef {}\n", one_line(name)));
        }
        if !text.is_empty() {
            let file = self.sources.add_file("<command line>", text);
            self.open(file);
            // Directives yield nothing; whatever else stands there is complained about where it is defined or used.
            while self.next().kind != PieceKind::End {}
            self.close();
        }
    }

    fn run(&mut self, file: FileId) -> Vec<Token> {
        self.open(file);
        let mut tokens = Vec::with_capacity(self.files[0].pieces.len());
        let end = loop {
            let piece = self.next();
            if piece.kind == PieceKind::End {
                break piece.span;
            }
            let starts_line = std::mem::take(&mut self.pending_newline) || piece.after_newline;
            if matches!(piece.kind, PieceKind::Punct(Punct::LeftBrace | Punct::RightBrace))
                && self.contexts.is_empty()
                && self.files.len() == 1
            {
                self.braces.push(piece.span.start);
            }
            convert::convert(
                &piece,
                starts_line,
                &mut self.interner,
                self.sources,
                &mut tokens,
                &mut self.diagnostics,
            );
        };
        while !self.files.is_empty() {
            self.close();
        }
        if self.exhausted {
            tokens.clear();
        }
        tokens.push(Token { kind: TokenKind::End, span: end, starts_line: true });
        tokens
    }

    fn open(&mut self, file: FileId) {
        let source = self.sources.file(file);
        let pieces = lex(&source.text, file, &mut self.interner, &mut self.diagnostics);
        let name: Rc<str> = source.name.as_str().into();
        let presumed_name = name.clone();
        self.files.push(OpenFile {
            name,
            pieces,
            next: 0,
            conditionals: Vec::new(),
            line_shift: 0,
            presumed_name,
        });
    }

    /// Leaves the innermost file.
    fn close(&mut self) {
        if let Some(file) = self.files.pop()
            && !self.exhausted
        {
            self.diagnostics.extend(file.conditionals.iter().map(Conditional::unterminated));
        }
    }

    /// The next piece as it is written: no macro is expanded, but directives are obeyed. At the end, of an argument or
    /// of everything, [`PieceKind::End`] again and again.
    fn take(&mut self) -> Piece {
        let piece = self.take_raw();
        self.range = match (piece.kind, self.range) {
            (PieceKind::Number(_), _) => RangeState::AfterNumber,
            (PieceKind::Punct(Punct::DotDot), RangeState::AfterNumber) if !piece.after_space => {
                RangeState::AfterDots
            }
            _ => RangeState::Elsewhere,
        };
        piece
    }

    fn take_raw(&mut self) -> Piece {
        loop {
            interrupt::point();
            if self.exhausted {
                return self.end_piece();
            }
            if self.contexts.len() > self.floor.unwrap_or(0) {
                match self.contexts.last_mut().and_then(Context::take) {
                    Some(piece) => return piece,
                    None => self.leave_context(),
                }
                continue;
            }
            if self.floor.is_some() {
                return self.end_piece();
            }
            let nested = self.files.len() > 1;
            let Some(file) = self.files.last_mut() else { return self.end_piece() };
            let piece = file.pieces[file.next];
            match piece.kind {
                PieceKind::End if nested && self.call == CallState::Outside => self.close(),
                PieceKind::End => return piece,
                PieceKind::Hash if piece.first_on_line && self.call != CallState::SeekingParenthesis => {
                    self.obey_directive();
                }
                _ => {
                    file.next += 1;
                    return piece;
                }
            }
        }
    }

    /// Undoes the last [`Preprocessor::take`], which must not have been an end.
    fn put_back(&mut self) {
        if self.contexts.len() > self.floor.unwrap_or(0) {
            if let Some(context) = self.contexts.last_mut() {
                context.put_back();
            }
        } else if let Some(file) = self.files.last_mut() {
            file.next -= 1;
        }
    }

    /// Pays for `pieces`; false when that is too much, and then everything ends.
    fn spend(&mut self, pieces: usize, at: Span, what: &str) -> bool {
        if self.exhausted {
            return false;
        }
        match self.budget.checked_sub(pieces) {
            Some(rest) => self.budget = rest,
            None => self.give_up(at, format!("{what} more than {BUDGET} tokens")),
        }
        !self.exhausted
    }

    fn give_up(&mut self, at: Span, message: String) {
        if !self.exhausted {
            self.exhausted = true;
            // The first, because it explains why there are no tokens.
            self.diagnostics.insert(
                0,
                Diagnostic::error(crate::codes::TOO_MUCH_EXPANSION, at, message)
                    .with_help("a macro that uses another one twice doubles the text each time"),
            );
        }
    }

    fn end_piece(&self) -> Piece {
        // Every file ends with an End, and there is one as long as anything is read.
        let span =
            self.files.last().and_then(|file| file.pieces.last()).map_or(Span::default(), |piece| piece.span);
        Piece {
            kind: PieceKind::End,
            span,
            first_on_line: true,
            after_newline: true,
            after_space: true,
            painted: false,
        }
    }

    fn find_macro(&self, symbol: Symbol) -> Option<&Rc<Macro>> {
        self.macros.get(symbol.0 as usize).and_then(Option::as_ref)
    }

    fn set_macro(&mut self, symbol: Symbol, definition: Option<Macro>) {
        let index = symbol.0 as usize;
        if self.macros.len() <= index {
            self.macros.resize(index + 1, None);
        }
        self.macros[index] = definition.map(Rc::new);
    }
}

/// The body of a macro that is used a thousand times is worth one complaint, and nobody reads the thousandth of any kind.
/// Errors are counted apart from warnings, so that no error is lost behind warnings.
fn worth_saying(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::default();
    let (mut errors, mut warnings) = (0, 0);
    diagnostics.retain(|d| {
        let count = match d.severity {
            Severity::Error | Severity::Refused => &mut errors,
            Severity::Warning => &mut warnings,
        };
        let is_new = seen.insert((d.code, d.span.file, d.span.start, d.span.end));
        *count += usize::from(is_new);
        is_new && *count <= MAX_DIAGNOSTICS
    });
    diagnostics
}
