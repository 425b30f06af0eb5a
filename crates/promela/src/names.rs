//! Where a text mentions a name, and where that name is declared: what an editor asks about a text.
//!
//! What a name *means* is in the [`crate::model::Model`]; here it is a place that leads to a place. Both are places as they are
//! spelled, so a statement of an `inline` is one place however often it is called, and a name in the argument of a macro stands
//! where it is written. A declaration is known by the place of its name.

use crate::source::Span;

/// One mention of a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Mention {
    /// Where it is spelled; never an expansion.
    pub span: Span,
    /// Where what it names is declared: the name there. The same place for the declaration itself.
    pub declared: Span,
    /// What it names.
    pub kind: NameKind,
    /// What is done with it here.
    pub role: Role,
}

/// What a name names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NameKind {
    /// A variable, channel or parameter of a proctype.
    Variable,
    /// A field of a `typedef`.
    Field,
    /// A symbolic name of an `mtype`.
    Symbol,
    /// The name of a set of symbolic names: `fruit` in `mtype:fruit`.
    SymbolSet,
    /// A `typedef`.
    Typedef,
    /// A proctype.
    Proctype,
    /// An `inline`.
    Inline,
    /// A parameter of an `inline` or a macro.
    TextParameter,
    /// A label.
    Label,
    /// An `ltl` formula or a never claim.
    Property,
    /// A `#define`d macro.
    Macro,
    /// An included file: declared at its beginning.
    File,
}

/// What is done with a name where it is mentioned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Role {
    /// It is declared.
    Declared,
    /// It is read, called, run, jumped to.
    Used,
    /// A value is stored.
    Written,
    /// A message is sent to it.
    Sent,
    /// A message is received from it.
    Received,
}
