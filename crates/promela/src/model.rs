//! What a Promela text says, once its names and types are resolved: the output of the front end.
//!
//! Invariants that the resolver establishes and everything after it relies on:
//! - macros, `inline`s, `for` and `select` are expanded (as SPIN expands them, since its state graph depends on it);
//! - every name is resolved: variables are [`Place`]s, labels of `goto` exist, `run` names a proctype;
//! - variables are flattened: a variable of a scalar type occupies one **slot**, an array or a `typedef` as many as it has
//!   scalars, in declaration order (arrays element by element, each element field by field). Globals share one frame of
//!   slots; each proctype has its own frame, which begins with its parameters;
//! - block scopes are gone: two variables of one name in two blocks are two variables of the frame;
//! - message fields are flattened in the same way, and sends and receives have exactly as many arguments as fields
//!   (SPIN's padding and cutting of a wrong number is applied, with a warning).

use crate::source::{SourceMap, Span};

/// Index into [`Model::proctypes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProctypeId(pub u32);
/// Index into [`Model::globals`] or [`Proctype::locals`], depending on the [`Frame`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);
/// Index into [`Model::mtype_sets`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MtypeSetId(pub u32);
/// Index into [`Model::typedefs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypedefId(pub u32);
/// Index into [`Model::channel_types`]: one for each `[n] of {…}` in the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ChannelTypeId(pub u32);

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The texts that the spans point into.
    pub sources: SourceMap,
    /// Sets of symbolic names; set 0 is the unnamed `mtype` (present even if empty).
    pub mtype_sets: Vec<MtypeSet>,
    /// User-defined types.
    pub typedefs: Vec<Typedef>,
    /// Every channel initialiser of the model.
    pub channel_types: Vec<ChannelType>,
    /// Global variables, in declaration order.
    pub globals: Vec<Variable>,
    /// Number of slots of the global frame.
    pub global_slots: u32,
    /// Proctypes, in declaration order; `init` (named `:init:`) is one of them.
    pub proctypes: Vec<Proctype>,
    /// Never claims as written in the text (`ltl` formulas are apart).
    pub claims: Vec<Claim>,
    /// At most one `trace` or `notrace`.
    pub event_trace: Option<EventTrace>,
    /// `ltl` blocks.
    pub formulas: Vec<LtlFormula>,
    /// `ltl` blocks that cannot be understood, though their syntax is right: nothing else depends on them.
    pub refused_formulas: Vec<RefusedFormula>,
    /// What the model uses that changes the state vector or the way it is run.
    pub features: Features,
}

impl Model {
    /// The names of all `ltl` blocks, also of those that have no meaning.
    pub fn formula_names(&self) -> impl Iterator<Item = &str> {
        let refused = self.refused_formulas.iter().map(|formula| formula.name.as_str());
        self.formulas.iter().map(|formula| formula.name.as_str()).chain(refused)
    }
}

/// What the text mentions anywhere, because SPIN's state vector or scheduling depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// `_last` is used.
    pub last: bool,
    /// `enabled(…)` is used.
    pub enabled: bool,
    /// `pc_value(…)` is used.
    pub pc_value: bool,
    /// A `priority` annotation, `get_priority`, `set_priority` or `_priority` is used.
    pub priorities: bool,
    /// `np_` is used.
    pub np: bool,
    /// `timeout` is used.
    pub timeout: bool,
    /// `_nr_pr` is used.
    pub number_of_processes: bool,
    /// `??` or a random poll is used.
    pub random_receive: bool,
    /// `!!` is used.
    pub sorted_send: bool,
    /// `xr` or `xs` is used.
    pub exclusive_channels: bool,
}

impl Features {
    /// What either of two parts of a text mentions.
    pub(crate) fn and(self, other: Features) -> Features {
        Features {
            last: self.last | other.last,
            enabled: self.enabled | other.enabled,
            pc_value: self.pc_value | other.pc_value,
            priorities: self.priorities | other.priorities,
            np: self.np | other.np,
            timeout: self.timeout | other.timeout,
            number_of_processes: self.number_of_processes | other.number_of_processes,
            random_receive: self.random_receive | other.random_receive,
            sorted_send: self.sorted_send | other.sorted_send,
            exclusive_channels: self.exclusive_channels | other.exclusive_channels,
        }
    }
}

/// A set of symbolic names: `mtype = {…}` or `mtype:name = {…}`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MtypeSet {
    /// The subtype's name; `None` for plain `mtype`.
    pub name: Option<String>,
    /// Names with their values as SPIN numbers them (the last name of a declaration has the least value).
    pub names: Vec<(String, i32, Span)>,
}

/// A `typedef`.
#[derive(Clone, PartialEq, Debug)]
pub struct Typedef {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its fields in order.
    pub fields: Vec<Field>,
    /// Number of slots of one value.
    pub slots: u32,
}

/// A field of a `typedef`.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Type of one element.
    pub ty: Type,
    /// Number of elements if it is an array.
    pub length: Option<u32>,
    /// First slot, relative to the beginning of the struct.
    pub offset: u32,
    /// Initial value, the same for every element.
    pub init: Initializer,
}

/// A scalar type with its range: a stored value is truncated as SPIN's verifier does (a C assignment to the field).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// One bit; also `unsigned` of width 1 in SPIN's eyes.
    Bit,
    /// One bit.
    Bool,
    /// 0..255.
    Byte,
    /// 0..255.
    Pid,
    /// -32768..32767.
    Short,
    /// 32-bit signed.
    Int,
    /// `unsigned x : n`, n bits.
    Unsigned(u8),
    /// A symbolic name, stored as 0..255; 0 is none of them.
    Mtype(MtypeSetId),
    /// A channel id, stored as 0..255; 0 is no channel.
    Chan,
}

impl Scalar {
    /// Number of bits and whether it has a sign.
    pub fn bits(self) -> (u32, bool) {
        match self {
            Scalar::Bit | Scalar::Bool => (1, false),
            Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => (8, false),
            Scalar::Short => (16, true),
            Scalar::Int => (32, true),
            Scalar::Unsigned(n) => (u32::from(n), false),
        }
    }

    /// The type as which an element of an array is stored: SPIN makes bytes of bits there, and keeps values beyond 1.
    pub fn in_array(self) -> Scalar {
        match self {
            Scalar::Bit | Scalar::Bool => Scalar::Byte,
            other => other,
        }
    }

    /// The value that is stored when `value` is assigned.
    pub fn truncate(self, value: i32) -> i32 {
        match self.bits() {
            (16, true) => i32::from(value as i16),
            (32.., _) => value,
            // Not `(1 << n) - 1`, which overflows for 31 bits.
            (n, _) => value & (i32::MAX >> (31 - n)),
        }
    }

    /// Least and largest storable value.
    pub fn range(self) -> (i32, i32) {
        match self.bits() {
            (16, true) => (i32::from(i16::MIN), i32::from(i16::MAX)),
            (32.., _) => (i32::MIN, i32::MAX),
            (31, false) => (0, i32::MAX),
            (n, _) => (0, (1i32 << n) - 1),
        }
    }
}

/// The type of a variable, a field or an array's element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A user-defined type.
    Struct(TypedefId),
}

/// The initial value of a variable.
#[derive(Clone, PartialEq, Debug)]
pub enum Initializer {
    /// Zero.
    None,
    /// The value of an expression, evaluated when the frame is created; the same for every element of an array.
    Expr(Expr),
    /// `= {1, 2, 3}`: one value for each element; missing ones repeat the last, as SPIN does.
    List(Vec<Expr>),
    /// A new channel for each element.
    Channel(ChannelTypeId),
}

/// `[capacity] of { fields }`.
#[derive(Clone, PartialEq, Debug)]
pub struct ChannelType {
    /// How many messages fit; 0 is rendezvous.
    pub capacity: u32,
    /// The flattened fields.
    pub fields: Vec<MessageField>,
    /// Where it stands.
    pub span: Span,
}

/// One scalar of a message.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageField {
    /// Its type.
    pub scalar: Scalar,
    /// For a field that comes out of a struct: its path, for messages to people.
    pub name: Option<String>,
}

/// A variable of a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name as written.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Type of one element.
    pub ty: Type,
    /// Number of elements if it is an array.
    pub length: Option<u32>,
    /// First slot.
    pub slot: u32,
    /// Number of slots.
    pub slots: u32,
    /// Initial value. For a local that is declared after the first statement of its body SPIN makes an assignment at
    /// that place out of it; then the assignment is in the body and this is [`Initializer::None`].
    pub init: Initializer,
    /// `hidden`, `show` or `local`.
    pub visibility: Visibility,
    /// It is a parameter of its proctype.
    pub parameter: bool,
    /// Block in which it is declared, as a path for people; empty for globals and outermost locals.
    pub block: String,
}

/// The word before a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// None.
    #[default]
    Plain,
    /// Not part of the state.
    Hidden,
    /// Shown in charts.
    Show,
    /// Used by one process only.
    Local,
}

/// A proctype, or `init`.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name; `:init:` for `init`.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// `D_proctype`.
    pub deterministic: bool,
    /// How many instances start by themselves.
    pub active: u32,
    /// Number of parameters, the first of [`Proctype::locals`].
    pub parameters: u32,
    /// Parameters, then the other local variables in declaration order.
    pub locals: Vec<Variable>,
    /// Number of slots of the frame.
    pub slots: u32,
    /// `priority n` of active instances.
    pub priority: Option<i32>,
    /// `provided (…)`.
    pub provided: Option<Expr>,
    /// `xr` and `xs` declarations.
    pub exclusive: Vec<ExclusiveUse>,
    /// Global variables that the arguments of its calls of inlines name. SPIN reads arguments as expressions before it puts
    /// them into the body, so they count as read whatever the body does with them.
    pub named_in_calls: Vec<VariableId>,
    /// The body.
    pub body: Sequence,
    /// Where its closing brace stands: the place of SPIN's `-end-`.
    pub end: Span,
}

/// `xr c` or `xs c`.
#[derive(Clone, Debug)]
pub struct ExclusiveUse {
    /// Receive (`xr`) or send (`xs`).
    pub receive: bool,
    /// The channel.
    pub channel: Place,
}

/// A never claim. Its statements see globals and remote references; its own variables are in `locals`.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name, or `never_0`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Variables of its own.
    pub locals: Vec<Variable>,
    /// Number of slots of them.
    pub slots: u32,
    /// The body.
    pub body: Sequence,
    /// Its closing brace.
    pub end: Span,
}

/// `trace {…}` or `notrace {…}`.
#[derive(Clone, Debug)]
pub struct EventTrace {
    /// `notrace`.
    pub negated: bool,
    /// Where it stands.
    pub span: Span,
    /// The body: sends and receives as events, and control structure.
    pub body: Sequence,
    /// Its closing brace.
    pub end: Span,
}

/// An `ltl name { formula }`.
#[derive(Clone, PartialEq, Debug)]
pub struct LtlFormula {
    /// Its name, or `ltl_0`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// The formula.
    pub formula: Ltl,
}

/// An `ltl name { formula }` that has no meaning.
#[derive(Clone, PartialEq, Debug)]
pub struct RefusedFormula {
    /// Its name, or `ltl_0`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What is wrong with it, as its diagnostic says.
    pub why: String,
}

/// A temporal formula over Promela expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum Ltl {
    /// A state expression without temporal operators inside.
    Proposition(Expr),
    /// `!f`
    Not(Box<Ltl>),
    /// `f && g`
    And(Box<Ltl>, Box<Ltl>),
    /// `f || g`
    Or(Box<Ltl>, Box<Ltl>),
    /// `f -> g`
    Implies(Box<Ltl>, Box<Ltl>),
    /// `f <-> g`
    Equivalent(Box<Ltl>, Box<Ltl>),
    /// `X f`
    Next(Box<Ltl>),
    /// `[] f`
    Always(Box<Ltl>),
    /// `<> f`
    Eventually(Box<Ltl>),
    /// `f U g`
    Until(Box<Ltl>, Box<Ltl>),
    /// `f W g`
    WeakUntil(Box<Ltl>, Box<Ltl>),
    /// `f V g`
    Release(Box<Ltl>, Box<Ltl>),
}

/// Statements one after another.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sequence {
    /// In order.
    pub statements: Vec<Statement>,
}

/// A statement with its labels.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Labels that stand before it.
    pub labels: Vec<StatementLabel>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// `name:` before a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatementLabel {
    /// Unique within its proctype (a label inside an `inline` is unique for each use).
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum StatementKind {
    /// An expression as a guard; `skip` is the constant 1. May contain one `run`.
    Condition(Expr),
    /// `place = value`
    Assign { place: Place, value: Expr },
    /// `c!…` or `c!!…`
    Send { channel: ChannelRef, sorted: bool, arguments: Vec<Expr> },
    /// `c?…`, `c??…`, `c?<…>`, `c??<…>`
    Receive { channel: ChannelRef, random: bool, copy: bool, arguments: Vec<ReceiveArgument> },
    /// `assert(…)`
    Assert(Expr),
    /// `printf("…", …)`; the format as written, escapes included.
    Printf { format: String, arguments: Vec<Expr> },
    /// `printm(…)`
    Printm(Expr),
    /// `set_priority(pid, priority)`
    SetPriority { pid: Box<Expr>, priority: Box<Expr> },
    /// `else`
    Else,
    /// `goto label`
    Goto { label: String, label_span: Span },
    /// `break`
    Break,
    /// `if … fi`
    If(Vec<Sequence>),
    /// `do … od`
    Do(Vec<Sequence>),
    /// `atomic { … }`
    Atomic(Sequence),
    /// `d_step { … }`
    DStep(Sequence),
    /// `{ … }`
    Block(Sequence),
    /// `main unless escape`
    Unless { main: Box<Statement>, escape: Box<Statement> },
}

/// The channel that a statement or an expression uses.
#[derive(Clone, PartialEq, Debug)]
pub struct ChannelRef {
    /// The expression's place: a variable of type `chan`.
    pub place: Place,
    /// The channel types that the declared initialisers give this variable, when they are all known at once (an
    /// initialised variable that is never assigned); `None` for a parameter or a variable that is assigned.
    pub declared: Option<ChannelTypeId>,
}

/// An argument of a receive.
#[derive(Clone, PartialEq, Debug)]
pub enum ReceiveArgument {
    /// The field must equal the value: a constant or `eval(…)`.
    Match(Expr),
    /// The field is stored.
    Store(Place),
    /// `_`: the field is thrown away.
    Discard(Span),
}

/// Which frame a place is in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Frame {
    /// The global one.
    Global,
    /// That of the process which executes the statement (or of the claim).
    Local,
}

/// A scalar variable, element or field.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Which frame.
    pub frame: Frame,
    /// The variable that it is a part of.
    pub variable: VariableId,
    /// Slot if all indices are zero.
    pub base: u32,
    /// Indices from left to right; the slot is `base + Σ value·stride`.
    pub indices: Vec<Index>,
    /// Type of the scalar.
    pub scalar: Scalar,
    /// As written.
    pub span: Span,
}

/// One array index within a [`Place`].
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// The index.
    pub value: Expr,
    /// Number of elements: a value outside `0..length` is a runtime error.
    pub length: u32,
    /// Slots from one element to the next.
    pub stride: u32,
}

/// An expression; all values are 32-bit integers.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    /// A number, or a symbolic name (then with its set, for printing).
    Constant { value: i32, mtype: Option<MtypeSetId> },
    /// The value of a variable.
    Read(Place),
    /// `_pid`
    Pid,
    /// `_nr_pr`
    NumberOfProcesses,
    /// `_last`
    Last,
    /// `_priority`
    OwnPriority,
    /// `np_`
    NonProgress,
    /// `timeout`
    Timeout,
    /// `-a`, `~a`, `!a`
    Unary(UnaryOp, Box<Expr>),
    /// Both sides are evaluated, except with `&&` and `||`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(…)`
    Run { proctype: ProctypeId, arguments: Vec<Expr>, priority: Option<i32> },
    /// `len(c)`
    Len(ChannelRef),
    /// `empty(c)`
    Empty(ChannelRef),
    /// `nempty(c)`
    NotEmpty(ChannelRef),
    /// `full(c)`
    Full(ChannelRef),
    /// `nfull(c)`
    NotFull(ChannelRef),
    /// `c?[…]`, `c??[…]`: would the receive be executable?
    Poll { channel: ChannelRef, random: bool, arguments: Vec<ReceiveArgument> },
    /// `enabled(pid)`
    Enabled(Box<Expr>),
    /// `pc_value(pid)`
    PcValue(Box<Expr>),
    /// `get_priority(pid)`
    GetPriority(Box<Expr>),
    /// `P[pid]@label`; without `[pid]`, SPIN takes the only or first instance.
    RemoteLabel { proctype: RemoteProcess, pid: Option<Box<Expr>>, label: String },
    /// `P[pid]:x`; the place is in the frame of that proctype, its indices are evaluated where the expression stands.
    RemoteVariable { proctype: ProctypeId, pid: Option<Box<Expr>>, place: Place },
}

/// Whose label a remote reference asks about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RemoteProcess {
    /// A proctype.
    Proctype(ProctypeId),
    /// All processes of a proctype, in formulas: the value is how many stand at the label.
    All(ProctypeId),
    /// A claim, by its index.
    Claim(u32),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl BinaryOp {
    /// Whether it compares two numbers.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        )
    }
}
