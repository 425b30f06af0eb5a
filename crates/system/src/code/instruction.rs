//! The instruction set that statements and expressions are lowered to.
//!
//! A stack of 32-bit integers: values, slots of frames and numbers of channels stand on it. What an instruction does is written once in
//! [`super::machine`], what it may touch once in [`super::footprint`], both by an exhaustive `match`: a new instruction that has no footprint does
//! not compile.

use promela::model::{BinaryOp, ChannelTypeId, Frame, ProctypeId, Scalar, UnaryOp};

/// Index into the instructions of a [`super::Code`]. A label is reached by jumps only, never by falling through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Address(pub u32);

/// Index into the spans of a [`super::Code`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpanId(pub u32);

/// Index into the patterns of a [`super::Code`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PatternId(pub u32);

/// Index into the prints of a [`super::Code`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintId(pub u32);

/// Which process a remote reference means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// The one whose number is on the stack.
    Numbered,
    /// The oldest of its type.
    First,
    /// All of its type.
    All,
}

/// What always is an error where it is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// No choice of a node of a `d_step` can be executed.
    BlockedInDStep,
    /// A rendezvous send inside a `d_step`.
    RendezvousInDStep,
    /// A copying receive on a rendezvous channel.
    CopyFromRendezvous,
}

/// One instruction. "Pops" and "pushes" speak of the stack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Instruction {
    /// Pushes a number.
    Constant(i32),
    /// Pushes the value of a slot.
    Load(Frame, u32),
    /// Pushes the value of a slot for people: nothing that happens depends on it.
    Show(Frame, u32),
    /// Pops a slot, pushes its value.
    LoadAt(Frame),
    /// Pops an index, checks it, and adds its part to the slot beneath.
    Index {
        /// Number of elements.
        length: u32,
        /// Slots of one element.
        stride: u32,
        /// The place.
        span: SpanId,
    },
    /// Pushes the number of the process.
    Pid,
    /// Pushes the number of the process for people: nothing that happens depends on it.
    ShowPid,
    /// Pushes how many processes there are.
    NumberOfProcesses,
    /// Pushes who moved last.
    Last,
    /// Pushes the priority of the process.
    OwnPriority,
    /// Pushes whether no process stands at a progress label.
    NonProgress,
    /// Pushes whether nothing else can move.
    Timeout,
    /// Pops one value, pushes one.
    Unary(UnaryOp),
    /// Pops two values, pushes one.
    Binary(BinaryOp, SpanId),
    /// Pops a value, pushes whether it is not zero.
    Truth,
    /// Throws the top away.
    Pop,
    /// Pushes the top once more.
    Duplicate,
    /// Goes on elsewhere.
    Jump(Address),
    /// Pops a value, goes on elsewhere if it is zero.
    JumpIfZero(Address),
    /// Ends a block.
    Return,
    /// Pops a value; if it is zero the statement cannot be executed, and the block ends.
    Require,
    /// Pushes whether no statement before this one can be executed: `else`.
    Otherwise,
    /// Pushes whether the process is the youngest.
    Youngest,
    /// A runtime error.
    Fail(Failure, SpanId),
    /// Pops the value of a channel variable, pushes the number of the channel, which must exist.
    Channel(SpanId),
    /// Goes on elsewhere if the channel on the stack is a rendezvous.
    JumpIfRendezvous(Address),
    /// Pops a channel, pushes how many messages it holds.
    Length,
    /// Pops a channel, pushes whether a send would have to wait.
    Full,
    /// Pops a channel, pushes whether a send need not wait: what a send asks, which is less than to look.
    HasRoom,
    /// Pops a channel; if it is empty the statement cannot be executed, and the block ends: `nempty(c)` as a condition.
    AwaitMessage,
    /// Pops a channel; if it is full the statement cannot be executed, and the block ends: `nfull(c)` as a condition.
    AwaitRoom,
    /// Pops a channel, pushes the place of the message that a receive would take, or -1.
    Find {
        /// What the message must be.
        pattern: PatternId,
        /// `??`
        random: bool,
        /// Nothing is received: somebody only asks.
        poll: bool,
    },
    /// Checks that the channel on the stack has so many fields.
    CheckFields {
        /// How many are given.
        given: u32,
        /// The statement.
        span: SpanId,
    },
    /// Pops a message and its channel and ends a guard: a rendezvous with this message is offered.
    Offer {
        /// How many fields.
        count: u32,
    },
    /// Pops a message and its channel and puts it there.
    Send {
        /// How many fields.
        count: u32,
        /// `!!`
        sorted: bool,
        /// The statement.
        span: SpanId,
    },
    /// Pops the place of a message and its channel and takes it from there; its fields can then be pushed.
    Receive {
        /// The message stays.
        copy: bool,
        /// The statement.
        span: SpanId,
    },
    /// Checks that every field of the message that was received is named; by a receive that leaves it there, not more than it has.
    CheckReceived {
        /// How many are named.
        given: u32,
        /// The message stays.
        copy: bool,
        /// The statement.
        span: SpanId,
    },
    /// Pushes a field of the message that was received.
    Field(u32),
    /// Pops a value into a slot.
    Store {
        /// Whose.
        frame: Frame,
        /// Which.
        slot: u32,
        /// Its type.
        scalar: Scalar,
        /// The place.
        span: SpanId,
    },
    /// Pops a slot, then a value into it.
    StoreAt {
        /// Whose.
        frame: Frame,
        /// Its type.
        scalar: Scalar,
        /// The place.
        span: SpanId,
    },
    /// Pops a slot and a value that nobody needs there: what [`super::slice`] leaves of a store.
    Forget,
    /// Pops a value into a slot as its first value.
    Initialise(Frame, u32),
    /// Creates a channel and pushes its value.
    CreateChannel(ChannelTypeId, SpanId),
    /// Pops arguments, starts a process with them and pushes its number. A guard only looks whether that is possible.
    Run {
        /// Of which type.
        proctype: ProctypeId,
        /// How many arguments.
        count: u32,
        /// With which priority.
        priority: i32,
        /// The expression.
        span: SpanId,
    },
    /// Pops a number of a process, pushes whether that can move.
    Enabled(SpanId),
    /// Pops a number of a process, pushes where it stands.
    PcValue,
    /// Pops a number of a process, pushes its priority.
    GetPriority,
    /// Pushes how many of the processes stand at the location with the number. Pops the process's number if it is [`Whose::Numbered`].
    RemoteLabel {
        /// Of which type.
        proctype: ProctypeId,
        /// Which of them.
        whose: Whose,
        /// The number of the location; `None` if there is no such label.
        number: Option<u32>,
    },
    /// Pops the process's number if it is [`Whose::Numbered`], then a slot of its frame, pushes the value.
    RemoteVariable {
        /// Of which type.
        proctype: ProctypeId,
        /// Which of them.
        whose: Whose,
    },
    /// Pops a priority and the number of a process.
    SetPriority(SpanId),
    /// The process dies.
    Die,
    /// Pops a value that must not be zero.
    Assert(SpanId),
    /// Pops values and prints them.
    Print(PrintId),
    /// This choice of this node of a `d_step` is executed.
    Chose {
        /// The node.
        node: u32,
        /// Its choice.
        choice: u32,
    },
}
