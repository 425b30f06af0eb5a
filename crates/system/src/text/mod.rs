//! Automata as text that can be read back: for tests, for looking closely, for comparing two versions of a model.
//!
//! One parenthesised line for each slot, location and edge. Everything that the semantics depends on is there, in terms of
//! slots and numbers; names are there for people. Spans are not: what is read back has none.
//!
//! ```text
//! (automaton "server" (process 0) initial 0)
//! (slot 0 "n" byte)
//! (location 0 number 1)
//! (edge 0 1 "ask?n" (receive (chan (global 0 0 chan) 0) fifo take (store (local 0 0 byte))))
//! ```

mod read;
mod sexp;
mod write;

pub use read::{ReadError, read};
pub use write::write;

use promela::model::{BinaryOp, UnaryOp};

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
