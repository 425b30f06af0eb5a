//! Statements and expressions as code: what is executed, and what tells what a statement may touch.
//!
//! [`Code::compile`] lowers every statement of a system once, to a guard (can it be executed?) and an effect. [`machine`] executes code, and the
//! interpreter executes nothing else; what it executes most it executes in larger pieces ([`registers`]). [`footprint`] describes what code reads, writes and asks, by following the same instructions. The statements'
//! [`Action`](crate::automaton::Action)s stay beside, for people, proofs and the checker of certificates.

mod compile;
pub mod footprint;
mod instruction;
pub(crate) mod machine;
pub(crate) mod operate;
mod registers;
pub mod slice;
mod taken_back;

pub use instruction::{Address, Failure, Instruction, PatternId, PrintId, SpanId, Whose};

use crate::automaton::{AutomatonId, EdgeId};
use promela::model::{MtypeSetId, ProctypeId};
use promela::source::Span;

/// All code of a system.
#[derive(Clone, Debug, Default)]
pub struct Code {
    instructions: Vec<Instruction>,
    spans: Vec<Span>,
    patterns: Vec<Pattern>,
    prints: Vec<Print>,
    /// By automaton and edge.
    edges: Vec<Vec<EdgeCode>>,
    /// By proctype: `provided`.
    provided: Vec<Option<Address>>,
    /// By proctype: the first values of its variables.
    initialisers: Vec<Address>,
    /// The first values of global variables.
    globals: Option<Address>,
    /// What blocks do, in fewer steps.
    operations: registers::Operations,
}

/// What a message must be: the fields that are compared, each with the code of its value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub compared: Vec<(u32, Address, SpanId)>,
    /// How many fields are named.
    pub given: u32,
}

/// What is printed.
#[derive(Clone, Debug)]
pub(crate) enum Print {
    Formatted { format: String, sets: Vec<Option<MtypeSetId>> },
    Name(Option<MtypeSetId>),
}

/// The code of a statement.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCode {
    /// Leaves on the stack whether the statement can be executed, or offers a rendezvous; `None`: it always can.
    pub guard: Option<Address>,
    /// What it does.
    pub effect: Address,
    /// It asks whether nothing else can move.
    pub asks_timeout: bool,
    /// What was tried before it decides about it: it is an `else`, or may begin with one.
    pub begins_with_else: bool,
    /// It is a send.
    pub sends: bool,
    /// Leaves the channel of a send or a receive on the stack.
    pub channel: Option<Address>,
    /// How it can take a message that is handed over.
    pub takes: Vec<Take>,
}

/// A receive that may be the other side of a rendezvous.
#[derive(Clone, Debug)]
pub(crate) struct Take {
    /// Which choice of node 0, if it is the beginning of a `d_step`.
    pub choice: Option<u32>,
    /// Leaves the channel on the stack.
    pub channel: Address,
    /// What the message must be.
    pub pattern: PatternId,
    /// What is done with the message.
    pub then: Address,
}

impl Code {
    pub(crate) fn edge(&self, automaton: AutomatonId, edge: EdgeId) -> &EdgeCode {
        &self.edges[automaton.0 as usize][edge.0 as usize]
    }

    pub(crate) fn provided(&self, automaton: AutomatonId) -> Option<Address> {
        self.provided[automaton.0 as usize]
    }

    pub(crate) fn initialiser(&self, proctype: ProctypeId) -> Address {
        self.initialisers[proctype.0 as usize]
    }

    pub(crate) fn globals(&self) -> Option<Address> {
        self.globals
    }

    /// Whether a statement may be the receiving side of a rendezvous.
    pub fn may_receive(&self, automaton: AutomatonId, edge: EdgeId) -> bool {
        !self.edge(automaton, edge).takes.is_empty()
    }

    /// Whether any statement can start a process.
    pub fn starts_processes(&self) -> bool {
        self.instructions().any(|instruction| matches!(instruction, Instruction::Run { .. }))
    }

    /// All instructions, of all statements.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = Instruction> + '_ {
        self.instructions.iter().copied()
    }

    #[inline]
    pub(crate) fn instruction(&self, at: Address) -> Instruction {
        self.instructions[at.0 as usize]
    }

    pub(crate) fn pattern(&self, id: PatternId) -> &Pattern {
        &self.patterns[id.0 as usize]
    }

    pub(crate) fn print(&self, id: PrintId) -> &Print {
        &self.prints[id.0 as usize]
    }

    pub(crate) fn span(&self, id: SpanId) -> Span {
        self.spans[id.0 as usize]
    }
}
