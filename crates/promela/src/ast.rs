//! What the parser understands of a text: units, declarations, statements and expressions, names not yet resolved.
//!
//! Invariant: `inline`s are expanded (a call is a [`StatementKind::Block`] with the body's statements); `for` and `select`
//! are not, since their meaning depends on types.

use crate::hash::HashMap;
use crate::source::Span;
use std::rc::Rc;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// The parsed text; `ltl` blocks come last, since SPIN reads them after everything else.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    pub units: Vec<Unit>,
    /// The first and the last token of each unit.
    pub extents: Vec<(Span, Span)>,
    /// Every `inline`, so that those never called can be told.
    pub inlines: Vec<InlineUse>,
    /// How many tokens came out of inlines.
    pub inlined: usize,
}

#[derive(Debug)]
pub(crate) struct InlineUse {
    pub name: Name,
    pub is_called: bool,
}

#[derive(Debug)]
pub(crate) enum Unit {
    Mtype { set: Option<Name>, names: Vec<Name> },
    Typedef { name: Name, fields: Vec<Declaration> },
    Declaration(Declaration),
    Proctype(Box<Proctype>),
    Claim { name: Option<Name>, span: Span, body: Body },
    Trace { negated: bool, span: Span, body: Body },
    Ltl { name: Option<Name>, span: Span, formula: Expr },
}

impl Unit {
    /// What stands in its braces, if those are statements.
    pub fn body(&self) -> Option<&Body> {
        match self {
            Unit::Proctype(proctype) => Some(&proctype.body),
            Unit::Claim { body, .. } | Unit::Trace { body, .. } => Some(body),
            _ => None,
        }
    }

    pub fn proctype_name(&self) -> Option<&Rc<str>> {
        match self {
            Unit::Proctype(proctype) => Some(&proctype.name.text),
            _ => None,
        }
    }

    /// Its body, to be changed.
    pub fn body_mut(&mut self) -> Option<&mut Body> {
        match self {
            Unit::Proctype(proctype) => Some(&mut proctype.body),
            Unit::Claim { body, .. } | Unit::Trace { body, .. } => Some(body),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Proctype {
    /// `:init:` for `init`.
    pub name: Name,
    pub deterministic: bool,
    pub active: Active,
    pub parameters: Vec<Declaration>,
    pub priority: Option<i32>,
    pub provided: Option<Expr>,
    pub body: Body,
}

/// How many instances start by themselves.
#[derive(Debug)]
pub(crate) enum Active {
    Count(i32, Span),
    /// `active [NAME]`: the initial value of a variable.
    Variable(Name),
}

/// A body with the labels that occur anywhere in it.
#[derive(Debug)]
pub(crate) struct Body {
    pub sequence: Sequence,
    pub labels: LabelTable,
    /// Its opening brace.
    pub open: Span,
    /// Its closing brace.
    pub end: Span,
    /// Nothing is wrong with its syntax.
    pub clean: bool,
    /// The inlines that it calls.
    pub calls: Vec<Rc<str>>,
}

/// A label with the block in which it stands.
#[derive(Debug)]
pub(crate) struct LabelPlace {
    pub name: Name,
    pub scope: ScopePath,
    /// The name that makes it unique in its proctype.
    pub unique: Rc<str>,
    /// The inline that it comes from.
    pub inline: Option<Rc<str>>,
    /// The `d_step` in which it stands; 0 is none.
    pub d_step: u32,
}

/// The labels of a body, in the order in which they stand. Models that tools write have thousands, so they are found by their names.
#[derive(Debug, Default)]
pub(crate) struct LabelTable {
    places: Vec<LabelPlace>,
    by_name: HashMap<Rc<str>, Vec<u32>>,
}

impl LabelTable {
    pub fn push(&mut self, place: LabelPlace) {
        let index = self.places.len() as u32;
        self.by_name.entry(place.name.text.clone()).or_default().push(index);
        self.places.push(place);
    }

    pub fn iter(&self) -> impl Iterator<Item = &LabelPlace> {
        self.places.iter()
    }

    pub fn names_mut(&mut self) -> impl Iterator<Item = &mut Name> {
        self.places.iter_mut().map(|place| &mut place.name)
    }

    /// Those with this name, in the order in which they stand.
    pub fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = &LabelPlace> + ExactSizeIterator {
        let indices = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        indices.iter().map(|&index| &self.places[index as usize])
    }
}

/// The braces around a place, as the number of the brace on each level.
pub(crate) type ScopePath = Rc<[u32]>;

#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub visibility: crate::model::Visibility,
    pub ty: TypeName,
    pub span: Span,
    pub variables: Vec<Declarator>,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    Mtype(Option<Name>),
    User(Name),
}

#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub name: Name,
    pub width: Option<(i32, Span)>,
    pub length: Option<ArrayLength>,
    pub init: Option<Init>,
    /// It stands where SPIN makes an assignment out of it.
    pub in_place: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum ArrayLength {
    Constant(i32, Span),
    /// SPIN takes the initial value of the variable.
    Variable(Name),
}

#[derive(Clone, Debug)]
pub(crate) enum Init {
    Expr(Expr),
    List(Vec<Expr>, Span),
    Channel { capacity: i32, fields: Vec<TypeName>, span: Span },
}

pub(crate) type Sequence = Vec<Statement>;

#[derive(Debug)]
pub(crate) struct Statement {
    pub labels: Vec<Label>,
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub name: Name,
    pub unique: Rc<str>,
}

/// There are many of them, so what is rare and large is in a box.
#[derive(Debug)]
pub(crate) enum StatementKind {
    Declaration(Declaration),
    Exclusive {
        receive: bool,
        channels: Vec<Reference>,
    },
    Condition(Expr),
    Assign {
        target: Reference,
        value: Expr,
    },
    /// `x++` and `x--`.
    Step {
        target: Reference,
        increment: bool,
    },
    Send {
        channel: Reference,
        sorted: bool,
        arguments: Vec<Expr>,
    },
    Receive {
        channel: Reference,
        random: bool,
        copy: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Assert(Expr),
    Printf {
        format: Rc<str>,
        arguments: Vec<Expr>,
    },
    Printm(Expr),
    SetPriority {
        pid: Box<Expr>,
        priority: Box<Expr>,
    },
    Else,
    Goto {
        label: Name,
        scope: ScopePath,
        d_step: u32,
    },
    Break,
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    Atomic(Sequence),
    DStep(Sequence),
    Block(Sequence),
    /// A call of an inline: its body, and the names in its arguments with whether an index or a field follows.
    Call {
        arguments: Vec<(Name, bool)>,
        body: Sequence,
    },
    For {
        variable: Reference,
        range: Box<ForRange>,
        body: Sequence,
        scope: ScopePath,
    },
    Select {
        variable: Reference,
        from: Box<Expr>,
        to: Box<Expr>,
        form: SelectForm,
    },
    Unless {
        main: Box<Statement>,
        escape: Box<Statement>,
    },
    /// Something that could not be understood; already reported.
    Error,
}

#[derive(Debug)]
pub(crate) enum ForRange {
    Numbers { from: Expr, to: Expr },
    Elements(Reference),
}

/// SPIN writes a `select` between two literal numbers out before it parses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SelectForm {
    /// One option for each of at most 33 values.
    Options,
    /// Literal numbers, but too many: count up, or stop.
    Literal,
    /// Anything else: stop, or count up.
    Loop,
}

#[derive(Clone, Debug)]
pub(crate) enum ReceiveArgument {
    Reference(Reference),
    Eval(Expr),
    Constant(Expr),
}

/// `a.b[i].c`
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub first: ReferencePart,
    /// Its fields; most have none.
    pub rest: Vec<ReferencePart>,
    pub span: Span,
}

impl Reference {
    /// The first name.
    pub fn head(&self) -> &Name {
        &self.first.name
    }

    /// The last name.
    pub fn last(&self) -> &Name {
        &self.rest.last().unwrap_or(&self.first).name
    }

    /// All parts in their order.
    pub fn parts(&self) -> impl Iterator<Item = &ReferencePart> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ReferencePart {
    pub name: Name,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Height of the tree, so that its depth can be limited.
    pub height: u16,
    /// It is, or is an `&&` or `||` of, something with `full`, `empty`, `nfull`, `nempty`: SPIN does not let that be
    /// negated or compared.
    pub probe: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Number(i32),
    /// A symbolic name.
    Symbol(Rc<str>),
    Reference(Reference),
    Timeout,
    NonProgress,
    Unary(crate::model::UnaryOp, Box<Expr>),
    Binary(crate::model::BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        name: Name,
        arguments: Vec<Expr>,
        priority: Option<i32>,
    },
    Channel(ChannelQuery, Reference),
    Poll {
        channel: Reference,
        random: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    RemoteLabel {
        proctype: Name,
        /// `P[*]@label`: how many stand there. Only formulas may ask.
        all: bool,
        pid: Option<Box<Expr>>,
        label: Name,
    },
    RemoteVariable {
        proctype: Name,
        pid: Option<Box<Expr>>,
        variable: Name,
        index: Option<Box<Expr>>,
    },
    /// `[]`, `<>`, `X`; only in `ltl`.
    TemporalUnary(TemporalUnary, Box<Expr>),
    /// `U`, `V`, `W`, `->`, `<->`; only in `ltl`.
    TemporalBinary(TemporalBinary, Box<Expr>, Box<Expr>),
    /// Something that could not be understood; already reported.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChannelQuery {
    Len,
    Empty,
    NotEmpty,
    Full,
    NotFull,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TemporalUnary {
    Always,
    Eventually,
    Next,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TemporalBinary {
    Until,
    WeakUntil,
    Release,
    Implies,
    Equivalent,
}
