//! What becomes of a use of a macro: arguments, substitution, `#`, `##`, and reading the result again.
//!
//! The result of each use lies on a stack of contexts until it is read. A macro is active while its context is on the
//! stack, and a name that is met while its macro is active is painted and never expands again: that is how C's rule
//! against recursion is kept, and to the letter of gcc where C leaves it open (`f(1)(2)` with `f` in the tail of `f`).

use std::rc::Rc;

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Piece, PieceKind, Symbol, lex};
use crate::names;
use crate::source::{Expansion, ExpansionId, ExpansionKind, FileId, Span};
use crate::token::Punct;

use super::macros::{Builtin, Form, Item, Macro, Role};
use super::{CallState, MAX_ARGUMENT_DEPTH, MAX_NESTING, Preprocessor, RangeState};

/// What a use of a macro costs beside the pieces it makes, because it is remembered for the sake of messages.
const COST_OF_USE: usize = 8;
/// How much text that is made by `#` and `##` costs as much as a piece.
const BYTES_OF_A_PIECE: usize = 8;
const MACROS_MAKE: &str = "the macros here make";
/// Chains of uses longer than this are of no use to a reader, and following them would take quadratic time.
const LONGEST_CHAIN: u32 = 1000;

/// The pieces that a use of a macro left to read.
pub struct Context {
    source: Option<Rc<Macro>>,
    pieces: Vec<Piece>,
    next: usize,
}

/// Where the outermost use around an expansion stands, and how many uses there are from there to here.
#[derive(Clone, Copy)]
pub struct Origin {
    span: Span,
    depth: u32,
}

/// An argument of a use.
struct Argument {
    raw: Vec<Piece>,
    /// Filled when first needed.
    expanded: Option<Vec<Piece>>,
    /// It is for the last parameter of a variadic macro.
    variadic: bool,
    /// It is variadic, and the use does not even have a comma for it.
    absent: bool,
}

/// What stands behind the name of a function-like macro.
enum Call {
    /// No parenthesis: it is not a use.
    None,
    /// Something is wrong with it, and that has been said.
    Broken,
    /// One for each parameter.
    Arguments(Vec<Argument>),
}

impl Context {
    /// The next piece.
    pub fn take(&mut self) -> Option<Piece> {
        let piece = self.pieces.get(self.next).copied();
        self.next += usize::from(piece.is_some());
        piece
    }

    /// Undoes the last [`Context::take`].
    pub fn put_back(&mut self) {
        self.next -= 1;
    }
}

impl Preprocessor<'_> {
    /// The next piece after expansion of macros.
    pub(super) fn next(&mut self) -> Piece {
        loop {
            let range = self.range;
            let mut piece = self.take();
            let PieceKind::Name(symbol) = piece.kind else { return piece };
            if piece.painted {
                return piece;
            }
            let Some(definition) = self.find_macro(symbol) else { return piece };
            if definition.active.get() {
                piece.painted = true;
                return piece;
            }
            let definition = definition.clone();
            if !self.enter(piece, symbol, &definition) {
                return piece;
            }
            if range == RangeState::AfterDots && !piece.after_space {
                self.warn_of_glued_range(piece, symbol);
            }
            self.pending_newline |= piece.after_newline;
        }
    }

    /// All pieces of an argument or a directive after expansion, as if nothing else were there.
    pub(super) fn expand_alone(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        let Some(first) = pieces.first().copied() else { return Vec::new() };
        if !pieces.iter().any(|p| matches!(p.kind, PieceKind::Name(s) if self.find_macro(s).is_some())) {
            return pieces;
        }
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            let message =
                format!("macros are used more than {MAX_ARGUMENT_DEPTH} deep in each other's arguments");
            self.give_up(first.span, message);
            return Vec::new();
        }
        let outer_floor = self.enter_floor(pieces);
        let mut expanded = Vec::new();
        loop {
            let piece = self.next();
            if piece.kind == PieceKind::End || !self.spend(1, piece.span, MACROS_MAKE) {
                break;
            }
            expanded.push(piece);
        }
        self.leave_floor(outer_floor);
        expanded
    }

    /// Begins to read `pieces` alone; what it returns is for [`Preprocessor::leave_floor`].
    pub(super) fn enter_floor(&mut self, pieces: Vec<Piece>) -> Option<usize> {
        let outer_floor = self.floor.replace(self.contexts.len());
        self.argument_depth += 1;
        self.contexts.push(Context { source: None, pieces, next: 0 });
        outer_floor
    }

    /// Ends what [`Preprocessor::enter_floor`] began.
    pub(super) fn leave_floor(&mut self, outer_floor: Option<usize>) {
        while self.contexts.len() > self.floor.unwrap_or(0) {
            self.leave_context();
        }
        self.argument_depth -= 1;
        self.floor = outer_floor;
    }

    /// Drops the innermost context.
    pub(super) fn leave_context(&mut self) {
        if let Some(source) = self.contexts.pop().and_then(|context| context.source) {
            source.active.set(false);
        }
    }

    /// Puts the expansion of a use on the stack; false if the name stands there without arguments that it needs.
    fn enter(&mut self, name: Piece, symbol: Symbol, definition: &Rc<Macro>) -> bool {
        let (body, mut arguments) = match &definition.form {
            Form::Object(body) => (body, Vec::new()),
            Form::Function { parameters, variadic, body } => {
                match self.collect_arguments(name, symbol, definition, parameters.len(), *variadic) {
                    Call::None => return false,
                    // A zero can stand for most of what macros stand for, so that one mistake is one message.
                    Call::Broken => {
                        let zero = PieceKind::Number(self.interner.intern("0"));
                        self.contexts.push(Context {
                            source: None,
                            pieces: vec![Piece { kind: zero, after_newline: false, ..name }],
                            next: 0,
                        });
                        return true;
                    }
                    Call::Arguments(arguments) => (body, arguments),
                }
            }
            Form::Builtin(builtin) => {
                let kind = self.builtin(*builtin, name.span);
                let pieces = vec![Piece { kind, after_newline: false, first_on_line: false, ..name }];
                self.contexts.push(Context { source: None, pieces, next: 0 });
                return true;
            }
        };
        if self.contexts.len() >= MAX_NESTING {
            self.give_up(name.span, format!("macros lead to each other more than {MAX_NESTING} deep"));
            return true;
        }
        if !self.spend(COST_OF_USE, name.span, MACROS_MAKE) {
            return true;
        }
        let expansion = self.record(name, symbol, definition);
        let pieces = self.substitute(name, body, &mut arguments, expansion);
        definition.active.set(true);
        self.contexts.push(Context { source: Some(definition.clone()), pieces, next: 0 });
        true
    }

    fn builtin(&mut self, builtin: Builtin, at: Span) -> PieceKind {
        match builtin {
            Builtin::Counter => {
                self.counter += 1;
                PieceKind::Number(self.interner.intern(&(self.counter - 1).to_string()))
            }
            Builtin::Line => {
                let line = i64::from(self.sources.line(self.origin(at).span));
                let shift = self.files.last().map_or(0, |file| file.line_shift);
                PieceKind::Number(self.interner.intern(&(line + shift).max(0).to_string()))
            }
            Builtin::File => {
                let name = self.files.last().map(|file| file.presumed_name.clone()).unwrap_or_default();
                PieceKind::String(self.interner.intern(&quoted(&name)))
            }
        }
    }

    fn collect_arguments(
        &mut self,
        name: Piece,
        symbol: Symbol,
        definition: &Macro,
        parameters: usize,
        variadic: bool,
    ) -> Call {
        let outer_call = std::mem::replace(&mut self.call, CallState::SeekingParenthesis);
        let parenthesis = self.take();
        self.call = CallState::CollectingArguments;
        let call = self.collect_arguments_behind(parenthesis, name, symbol, definition, parameters, variadic);
        self.call = outer_call;
        call
    }

    fn collect_arguments_behind(
        &mut self,
        parenthesis: Piece,
        name: Piece,
        symbol: Symbol,
        definition: &Macro,
        parameters: usize,
        variadic: bool,
    ) -> Call {
        if parenthesis.kind != PieceKind::Punct(Punct::LeftParen) {
            if parenthesis.kind != PieceKind::End {
                self.put_back();
            }
            return Call::None;
        }
        let mut spans_lines = parenthesis.after_newline;
        let mut arguments: Vec<Vec<Piece>> = vec![Vec::new()];
        let mut open = 0usize;
        loop {
            let mut piece = self.take();
            if piece.kind == PieceKind::End {
                if !self.exhausted {
                    let text = self.interner.text(symbol);
                    self.diagnostics.push(
                        Diagnostic::error(
                            codes::UNTERMINATED_MACRO_CALL,
                            name.span,
                            format!("the arguments of the macro `{text}` have no closing `)`"),
                        )
                        .with_related(definition.defined_at, "the macro is defined here"),
                    );
                }
                return Call::Broken;
            }
            spans_lines |= piece.after_newline;
            match piece.kind {
                PieceKind::Punct(Punct::LeftParen) => open += 1,
                PieceKind::Punct(Punct::RightParen) if open == 0 => break,
                PieceKind::Punct(Punct::RightParen) => open -= 1,
                PieceKind::Punct(Punct::Comma)
                    if open == 0 && !(variadic && arguments.len() >= parameters) =>
                {
                    arguments.push(Vec::new());
                    continue;
                }
                PieceKind::Name(name) if self.find_macro(name).is_some_and(|m| m.active.get()) => {
                    piece.painted = true
                }
                _ => {}
            }
            if !self.spend(1, name.span, MACROS_MAKE) {
                return Call::Broken;
            }
            piece.after_space |= piece.after_newline;
            piece.after_newline = false;
            piece.first_on_line = false;
            if let Some(argument) = arguments.last_mut() {
                argument.push(piece);
            }
        }
        if spans_lines {
            self.begin_line_behind_call();
        }
        self.check_arguments(name, symbol, definition, parameters, variadic, arguments)
    }

    /// gcc prints the whole expansion on the line of the name and what follows the call on a new one.
    fn begin_line_behind_call(&mut self) {
        if self.contexts.is_empty()
            && let Some(file) = self.files.last_mut()
            && let Some(piece) = file.pieces.get_mut(file.next)
        {
            piece.after_newline = true;
        }
    }

    fn check_arguments(
        &mut self,
        name: Piece,
        symbol: Symbol,
        definition: &Macro,
        parameters: usize,
        variadic: bool,
        mut arguments: Vec<Vec<Piece>>,
    ) -> Call {
        let only_is_empty = arguments.len() == 1 && arguments[0].is_empty();
        if parameters == 0 && only_is_empty {
            arguments.clear();
        }
        // GNU C: the variadic argument may be left out together with its comma, and `, ## x` then swallows its comma.
        let absent = variadic && (arguments.len() + 1 == parameters || (parameters == 1 && only_is_empty));
        if absent && arguments.len() < parameters {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters {
            let text = self.interner.text(symbol);
            let wanted = match (parameters, variadic) {
                (1, false) => "1 argument".to_owned(),
                (n, false) => format!("{n} arguments"),
                (n, true) => format!("at least {} arguments", n - 1),
            };
            let given = match arguments.len() {
                0 => "none is given".to_owned(),
                1 => "1 is given".to_owned(),
                n => format!("{n} are given"),
            };
            self.diagnostics.push(
                Diagnostic::error(
                    codes::WRONG_NUMBER_OF_ARGUMENTS,
                    name.span,
                    format!("the macro `{text}` takes {wanted}, but {given}"),
                )
                .with_related(definition.defined_at, "the macro is defined here"),
            );
            return Call::Broken;
        }
        let last = arguments.len().saturating_sub(1);
        let as_argument = |(i, raw)| Argument {
            raw,
            expanded: None,
            variadic: variadic && i == last,
            absent: absent && i == last,
        };
        Call::Arguments(arguments.into_iter().enumerate().map(as_argument).collect())
    }

    fn record(&mut self, name: Piece, symbol: Symbol, definition: &Macro) -> ExpansionId {
        let origin = self.origin(name.span);
        let used_at = if origin.depth < LONGEST_CHAIN { name.span } else { origin.span };
        let (kind, role) = (names::NameKind::Macro, names::Role::Used);
        self.sources.mention(name.span, definition.defined_at, kind, role);
        let id = self.sources.add_expansion(Expansion {
            kind: ExpansionKind::Macro,
            name: self.interner.text(symbol).as_ref().into(),
            used_at,
            defined_at: definition.defined_at,
        });
        if self.origins.is_empty() {
            self.first_expansion = id.0;
        }
        let depth = if origin.depth < LONGEST_CHAIN { origin.depth + 1 } else { 1 };
        self.origins.push(Origin { span: origin.span, depth });
        id
    }

    fn origin(&self, span: Span) -> Origin {
        match span.expansion {
            ExpansionId::NONE => Origin { span, depth: 0 },
            ExpansionId(id) => self.origins[(id - self.first_expansion) as usize],
        }
    }

    /// The body with the arguments in the places of the parameters.
    fn substitute(
        &mut self,
        name: Piece,
        body: &[Item],
        arguments: &mut [Argument],
        expansion: ExpansionId,
    ) -> Vec<Piece> {
        let mut result: Vec<Piece> = Vec::with_capacity(body.len());
        let mut pasting = false;
        for item in body {
            let start = result.len();
            let own = Piece { span: Span { expansion, ..item.piece.span }, ..item.piece };
            match item.role {
                Role::Literal => result.push(own),
                Role::Stringify(index) => {
                    let kind = PieceKind::String(self.stringify(&arguments[index].raw));
                    result.push(Piece { kind, ..own });
                }
                Role::Parameter(index) if pasting || item.pastes_next => {
                    let argument = &arguments[index];
                    let comma_before =
                        pasting && result.last().is_some_and(|p| p.kind == PieceKind::Punct(Punct::Comma));
                    if argument.absent && comma_before {
                        result.pop();
                        pasting = item.pastes_next;
                        continue;
                    }
                    result.extend_from_slice(&argument.raw);
                    if argument.raw.is_empty() {
                        result.push(Piece { kind: PieceKind::Placemarker, ..own });
                    }
                    pasting &= !(comma_before && argument.variadic);
                }
                Role::Parameter(index) => {
                    if arguments[index].expanded.is_none() {
                        let expanded = self.expand_alone(arguments[index].raw.clone());
                        arguments[index].expanded = Some(expanded);
                    }
                    result.extend(arguments[index].expanded.iter().flatten());
                }
            }
            if let Some(first) = result.get_mut(start) {
                first.after_space = own.after_space;
            }
            if pasting && start > 0 {
                self.paste(&mut result, start, own.span);
            }
            pasting = item.pastes_next;
            if !self.spend(result.len().saturating_sub(start) + 1, name.span, MACROS_MAKE) {
                return Vec::new();
            }
        }
        result.retain(|piece| piece.kind != PieceKind::Placemarker);
        result
    }

    /// Makes one piece of those before and at `right`, if they are one.
    fn paste(&mut self, pieces: &mut Vec<Piece>, right: usize, at: Span) {
        let (Some(&left_piece), Some(&right_piece)) = (pieces.get(right - 1), pieces.get(right)) else {
            return;
        };
        let merged = match (left_piece.kind, right_piece.kind) {
            (PieceKind::Placemarker, kind) | (kind, PieceKind::Placemarker) => Some(kind),
            _ => {
                let text = format!("{}{}", self.spelling(&left_piece), self.spelling(&right_piece));
                if !self.spend(text.len() / BYTES_OF_A_PIECE, at, MACROS_MAKE) {
                    return;
                }
                let mut ignored = Vec::new();
                match lex(&text, FileId::default(), &mut self.interner, &mut ignored).as_slice() {
                    [only, end] if end.kind == PieceKind::End && !matches!(only.kind, PieceKind::Bad(_)) => {
                        Some(only.kind)
                    }
                    _ => {
                        let message = format!("`##` makes `{text}`, which is not one token");
                        self.diagnostics.push(
                            Diagnostic::error(codes::BAD_PASTE, at, message)
                                .with_help("leave out the `##` if the two may stand side by side"),
                        );
                        None
                    }
                }
            }
        };
        if let Some(kind) = merged {
            let span = match left_piece.kind {
                PieceKind::Placemarker => right_piece.span,
                _ => left_piece.span,
            };
            pieces[right - 1] = Piece { kind, span, painted: false, ..left_piece };
            pieces.remove(right);
        }
    }

    fn spelling(&self, piece: &Piece) -> Rc<str> {
        match piece.kind {
            PieceKind::Name(s) | PieceKind::Number(s) | PieceKind::Character(s) | PieceKind::String(s) => {
                self.interner.text(s).clone()
            }
            PieceKind::Punct(punct) => punct.text().into(),
            PieceKind::Hash => "#".into(),
            PieceKind::HashHash => "##".into(),
            PieceKind::Ellipsis => "...".into(),
            PieceKind::Odd(odd) => odd.text().into(),
            _ => self.sources.text(piece.span).into(),
        }
    }

    fn stringify(&mut self, pieces: &[Piece]) -> Symbol {
        let mut text = String::new();
        for (i, piece) in pieces.iter().enumerate() {
            if i > 0 && piece.after_space {
                text.push(' ');
            }
            let spelling = self.spelling(piece);
            match piece.kind {
                PieceKind::String(_) | PieceKind::Character(_) => {
                    let quote = quoted(&spelling);
                    text.push_str(&quote[1..quote.len() - 1]);
                }
                _ => text.push_str(&spelling),
            }
        }
        // Strings of strings grow too, without becoming more pieces.
        if let Some(first) = pieces.first()
            && !self.spend(text.len() / BYTES_OF_A_PIECE, first.span, MACROS_MAKE)
        {
            text.clear();
        }
        // A backslash at the end would swallow the closing quote.
        let backslashes = text.bytes().rev().take_while(|&b| b == b'\\').count();
        if backslashes % 2 == 1 {
            text.pop();
        }
        self.interner.intern(&format!("\"{text}\""))
    }

    fn warn_of_glued_range(&mut self, piece: Piece, symbol: Symbol) {
        let text = self.interner.text(symbol);
        self.diagnostics.push(
            Diagnostic::warning(
                codes::GLUED_RANGE,
                piece.span,
                format!("SPIN does not expand the macro `{text}` directly behind `..`"),
            )
            .with_help("write blanks around `..`"),
        );
    }
}

/// The text as a string literal.
fn quoted(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            result.push('\\');
        }
        result.push(letter);
    }
    result.push('"');
    result
}
