//! A whole system as text: what is fingerprinted, what a second checker reads, what tests compare.
//!
//! One parenthesised line for each variable, slot, location and edge. Everything that the semantics depends on is there, in
//! terms of slots and numbers, and the names with which people speak of it. Spans are not, nor how a statement was written: what
//! is read back has neither, and a model that was moved about in its file or laid out anew keeps its fingerprint. The grammar
//! is in `docs/system-text.md`.
//!
//! ```text
//! (proctype 0 "server" parameters 0 active 1 priority 1 initial 0)
//! (variable "n" 1)
//! (slot 0 "n" byte)
//! (location 0 number 1)
//! ; line 7: ask?n
//! (edge 0 1 (receive (global 0 0 chan) fifo take (store (local 0 0 byte))))
//! ```

mod fingerprint;
mod read;
mod sexp;
mod write;

pub use fingerprint::Fingerprint;
pub use read::{ReadError, read};
pub use write::{write, write_with_comments};

use promela::model::{BinaryOp, Features, UnaryOp};

/// Version of the text form, its first number: another one means that the same text may have another meaning.
const VERSION: u32 = 1;

/// The words of a flag and where it is kept.
type Feature = (&'static str, fn(&mut Features) -> &mut bool);

/// Words that a model mentions and that change how it is run or what a state is.
const FEATURES: &[Feature] = &[
    ("last", |f| &mut f.last),
    ("enabled", |f| &mut f.enabled),
    ("pc_value", |f| &mut f.pc_value),
    ("priorities", |f| &mut f.priorities),
    ("np", |f| &mut f.np),
    ("timeout", |f| &mut f.timeout),
    ("nr_pr", |f| &mut f.number_of_processes),
];

/// Words for operators; reading and writing share them.
const BINARY: &[(BinaryOp, &str)] = &[
    (BinaryOp::Add, "+"),
    (BinaryOp::Subtract, "-"),
    (BinaryOp::Multiply, "*"),
    (BinaryOp::Divide, "/"),
    (BinaryOp::Remainder, "%"),
    (BinaryOp::BitAnd, "&"),
    (BinaryOp::BitOr, "|"),
    (BinaryOp::BitXor, "^"),
    (BinaryOp::ShiftLeft, "<<"),
    (BinaryOp::ShiftRight, ">>"),
    (BinaryOp::Less, "<"),
    (BinaryOp::LessEqual, "<="),
    (BinaryOp::Greater, ">"),
    (BinaryOp::GreaterEqual, ">="),
    (BinaryOp::Equal, "=="),
    (BinaryOp::NotEqual, "!="),
    (BinaryOp::And, "&&"),
    (BinaryOp::Or, "||"),
];

const UNARY: &[(UnaryOp, &str)] =
    &[(UnaryOp::Negate, "negate"), (UnaryOp::Complement, "~"), (UnaryOp::Not, "!")];
