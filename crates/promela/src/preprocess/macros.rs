//! What a `#define` says: the parameters and the body, taken apart once so that every use is a plain walk over it.

use crate::hash::HashMap;
use std::cell::Cell;

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Interner, Piece, PieceKind, Symbol};
use crate::source::Span;
use crate::token::Punct;

/// A macro.
pub struct Macro {
    /// How it is called, and what it stands for.
    pub form: Form,
    /// The place of its name in the definition.
    pub defined_at: Span,
    /// It is being expanded: its own name does not expand inside it.
    pub active: Cell<bool>,
}

/// The kinds of macros.
pub enum Form {
    /// The name alone.
    Object(Vec<Item>),
    /// The name with arguments.
    Function {
        /// Names of the parameters; `__VA_ARGS__` for an unnamed `...`.
        parameters: Vec<Symbol>,
        /// The last parameter takes all remaining arguments.
        variadic: bool,
        /// What it stands for.
        body: Vec<Item>,
    },
    /// Known without a definition.
    Builtin(Builtin),
}

/// Macros that are known without a definition. gcc has hundreds more, which say things about the machine on which SPIN
/// happens to run; a model that depends on them would mean something else elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `__FILE__`
    File,
    /// `__LINE__`
    Line,
    /// `__COUNTER__`
    Counter,
}

/// One element of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// The piece, or the parameter's name; for `#x`, the whole of it.
    pub piece: Piece,
    /// What to do with it.
    pub role: Role,
    /// `##` stands behind it.
    pub pastes_next: bool,
}

/// What an element of a body stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Itself.
    Literal,
    /// The argument for this parameter.
    Parameter(usize),
    /// The argument for this parameter as a string.
    Stringify(usize),
}

impl Builtin {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::File => "__FILE__",
            Builtin::Line => "__LINE__",
            Builtin::Counter => "__COUNTER__",
        }
    }
}

impl Macro {
    /// A macro that needs no definition.
    pub fn builtin(builtin: Builtin) -> Self {
        Macro { form: Form::Builtin(builtin), defined_at: Span::default(), active: Cell::new(false) }
    }

    /// Reads what stands behind the name in a `#define`; `name` is the name's own piece.
    pub fn parse(
        name: &Piece,
        rest: &[Piece],
        variadic_name: Symbol,
        interner: &Interner,
    ) -> Result<Self, Box<Diagnostic>> {
        let is_function =
            rest.first().is_some_and(|p| p.kind == PieceKind::Punct(Punct::LeftParen) && !p.after_space);
        let form = if is_function {
            let header = Parameters::parse(rest, variadic_name, interner)?;
            let body = parse_body(&rest[header.length..], Some(&header.positions), interner)?;
            Form::Function { parameters: header.names, variadic: header.variadic, body }
        } else {
            Form::Object(parse_body(rest, None, interner)?)
        };
        Ok(Macro { form, defined_at: name.span, active: Cell::new(false) })
    }

    /// Both say the same, as C has it: the same parameters and the same tokens with blanks at the same places.
    pub fn same_as(&self, other: &Macro) -> bool {
        let same_body = |a: &[Item], b: &[Item]| {
            a.len() == b.len()
                && a.iter().zip(b).enumerate().all(|(i, (a, b))| {
                    (a.piece.kind, a.role, a.pastes_next) == (b.piece.kind, b.role, b.pastes_next)
                        && (i == 0 || a.piece.after_space == b.piece.after_space)
                })
        };
        match (&self.form, &other.form) {
            (Form::Object(a), Form::Object(b)) => same_body(a, b),
            (
                Form::Function { parameters: p, variadic: v, body: a },
                Form::Function { parameters: q, variadic: w, body: b },
            ) => p == q && v == w && same_body(a, b),
            _ => false,
        }
    }
}

/// The parameter list of a macro.
struct Parameters {
    names: Vec<Symbol>,
    positions: HashMap<Symbol, usize>,
    variadic: bool,
    /// Number of pieces, parentheses included.
    length: usize,
}

impl Parameters {
    fn parse(pieces: &[Piece], variadic_name: Symbol, interner: &Interner) -> Result<Self, Box<Diagnostic>> {
        let mut parameters =
            Parameters { names: Vec::new(), positions: HashMap::default(), variadic: false, length: 1 };
        let malformed = |at: Option<&Piece>, message: &str| {
            let span = at.or(pieces.last()).map_or(Span::default(), |p| p.span);
            let help = "parameters are names with commas between them, such as `#define MAX(a, b) …`";
            Box::new(Diagnostic::error(codes::BAD_MACRO_DEFINITION, span, message).with_help(help))
        };
        let kind_at = |index: usize| pieces.get(index).map(|p| p.kind);
        if kind_at(1) == Some(PieceKind::Punct(Punct::RightParen)) {
            parameters.length = 2;
            return Ok(parameters);
        }
        loop {
            let at = parameters.length;
            match kind_at(at) {
                Some(PieceKind::Name(symbol)) if symbol != variadic_name => {
                    if parameters.positions.insert(symbol, parameters.names.len()).is_some() {
                        let message = format!("two parameters are called `{}`", interner.text(symbol));
                        return Err(malformed(pieces.get(at), &message));
                    }
                    parameters.names.push(symbol);
                    parameters.length += 1;
                    if kind_at(at + 1) == Some(PieceKind::Ellipsis) {
                        parameters.variadic = true;
                        parameters.length += 1;
                    }
                }
                Some(PieceKind::Ellipsis) => {
                    parameters.positions.insert(variadic_name, parameters.names.len());
                    parameters.names.push(variadic_name);
                    parameters.variadic = true;
                    parameters.length += 1;
                }
                Some(_) => return Err(malformed(pieces.get(at), "a parameter of a macro must be a name")),
                None => return Err(malformed(None, "the parameters of this macro have no closing `)`")),
            }
            let at = parameters.length;
            parameters.length += 1;
            match kind_at(at) {
                Some(PieceKind::Punct(Punct::RightParen)) => return Ok(parameters),
                Some(PieceKind::Punct(Punct::Comma)) if !parameters.variadic => {}
                Some(_) if parameters.variadic => {
                    return Err(malformed(pieces.get(at), "`...` must be the last parameter"));
                }
                Some(_) => return Err(malformed(pieces.get(at), "expected `,` or `)` behind a parameter")),
                None => return Err(malformed(None, "the parameters of this macro have no closing `)`")),
            }
        }
    }
}

fn parse_body(
    pieces: &[Piece],
    parameters: Option<&HashMap<Symbol, usize>>,
    interner: &Interner,
) -> Result<Vec<Item>, Box<Diagnostic>> {
    let parameter_of = |piece: &Piece| match piece.kind {
        PieceKind::Name(symbol) => parameters.and_then(|p| p.get(&symbol)).copied(),
        _ => None,
    };
    let malformed = |piece: &Piece, message: &str, help: String| {
        Box::new(Diagnostic::error(codes::BAD_MACRO_DEFINITION, piece.span, message).with_help(help))
    };
    let mut items: Vec<Item> = Vec::with_capacity(pieces.len());
    let mut index = 0;
    while index < pieces.len() {
        let piece = Piece { first_on_line: false, after_newline: false, ..pieces[index] };
        index += 1;
        match piece.kind {
            PieceKind::HashHash => match items.last_mut() {
                Some(left) if index < pieces.len() => left.pastes_next = true,
                _ => {
                    let message = "`##` cannot stand at the beginning or the end of a macro's body";
                    return Err(malformed(&piece, message, "`a ## b` makes one token out of two".to_owned()));
                }
            },
            PieceKind::Hash if parameters.is_some() => {
                let Some((operand, position)) =
                    pieces.get(index).and_then(|operand| Some((operand, parameter_of(operand)?)))
                else {
                    let message = "`#` in a macro's body must stand before a parameter";
                    return Err(malformed(&piece, message, list_of_parameters(parameters, interner)));
                };
                index += 1;
                let piece = Piece { span: Span { end: operand.span.end, ..piece.span }, ..piece };
                items.push(Item { piece, role: Role::Stringify(position), pastes_next: false });
            }
            _ => {
                let role = parameter_of(&piece).map_or(Role::Literal, Role::Parameter);
                items.push(Item { piece, role, pastes_next: false });
            }
        }
    }
    Ok(items)
}

fn list_of_parameters(parameters: Option<&HashMap<Symbol, usize>>, interner: &Interner) -> String {
    let mut known: Vec<(usize, String)> = parameters
        .into_iter()
        .flatten()
        .map(|(symbol, position)| (*position, format!("`{}`", interner.text(*symbol))))
        .collect();
    known.sort();
    let names: Vec<String> = known.into_iter().map(|(_, name)| name).take(5).collect();
    match names.as_slice() {
        [] => "the macro has no parameters".to_owned(),
        [only] => format!("the parameter is {only}"),
        _ => format!("the parameters are {}", names.join(", ")),
    }
}
