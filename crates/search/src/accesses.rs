//! What a statement may touch besides the locals of its own process.

use promela::model::{ChannelRef, Expr, ExprKind, Frame, Place, ReceiveArgument};
use system::automaton::Action;

/// Told of everything that a statement may touch.
pub trait Accesses {
    /// A global is read.
    fn read(&mut self, place: &Place);
    /// A global is written.
    fn write(&mut self, place: &Place);
    /// A message is put into a channel.
    fn send(&mut self, channel: &ChannelRef, sorted: bool);
    /// A message is taken from a channel.
    fn receive(&mut self, channel: &ChannelRef, random: bool);
    /// A channel's contents are asked for.
    fn look(&mut self, channel: &ChannelRef);
    /// Something whose effect or condition is not a matter of variables and channels: processes are created or die, other
    /// processes are asked about.
    fn other(&mut self);
}

/// Everything that an action may touch, whether or not it is executable.
pub fn of_action(action: &Action, to: &mut impl Accesses) {
    match action {
        // What is printed is no part of the state.
        Action::Skip | Action::Else | Action::Printf { .. } | Action::Printm(_) => {}
        Action::Condition(e) | Action::Assert(e) => of_expression(e, to),
        Action::Assign { place, value } => {
            of_expression(value, to);
            of_write(place, to);
        }
        Action::Send { channel, sorted, arguments } => {
            of_place(&channel.place, to);
            arguments.iter().for_each(|e| of_expression(e, to));
            to.send(channel, *sorted);
        }
        Action::Receive { channel, random, arguments, .. } => {
            of_place(&channel.place, to);
            of_arguments(arguments, to);
            to.receive(channel, *random);
        }
        Action::DStep(body) => {
            let choices = body.nodes.iter().flat_map(|node| &node.choices);
            choices.for_each(|choice| of_action(&choice.action, to));
        }
        Action::SetPriority { .. } | Action::End => to.other(),
    }
}

/// Everything that an expression reads.
pub fn of_expression(expression: &Expr, to: &mut impl Accesses) {
    match &expression.kind {
        // Whether nothing else can move is no property of a variable; who asks for it must take care of it.
        ExprKind::Constant { .. } | ExprKind::Pid | ExprKind::Timeout => {}
        ExprKind::Read(place) => of_place(place, to),
        ExprKind::Unary(_, a) => of_expression(a, to),
        ExprKind::Binary(_, a, b) => {
            of_expression(a, to);
            of_expression(b, to);
        }
        ExprKind::Conditional(c, a, b) => {
            of_expression(c, to);
            of_expression(a, to);
            of_expression(b, to);
        }
        ExprKind::Len(c)
        | ExprKind::Empty(c)
        | ExprKind::NotEmpty(c)
        | ExprKind::Full(c)
        | ExprKind::NotFull(c) => {
            of_place(&c.place, to);
            to.look(c);
        }
        ExprKind::Poll { channel, arguments, .. } => {
            of_place(&channel.place, to);
            of_arguments(arguments, to);
            to.look(channel);
        }
        ExprKind::NumberOfProcesses
        | ExprKind::Last
        | ExprKind::OwnPriority
        | ExprKind::NonProgress
        | ExprKind::Run { .. }
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_)
        | ExprKind::GetPriority(_)
        | ExprKind::RemoteLabel { .. }
        | ExprKind::RemoteVariable { .. } => {
            to.other();
        }
    }
}

/// Everything that the value of a place, with its indices, depends on.
pub fn of_place(place: &Place, to: &mut impl Accesses) {
    place.indices.iter().for_each(|index| of_expression(&index.value, to));
    if place.frame == Frame::Global {
        to.read(place);
    }
}

fn of_write(place: &Place, to: &mut impl Accesses) {
    place.indices.iter().for_each(|index| of_expression(&index.value, to));
    if place.frame == Frame::Global {
        to.write(place);
    }
}

fn of_arguments(arguments: &[ReceiveArgument], to: &mut impl Accesses) {
    for argument in arguments {
        match argument {
            ReceiveArgument::Match(e) => of_expression(e, to),
            ReceiveArgument::Store(place) => of_write(place, to),
            ReceiveArgument::Discard(_) => {}
        }
    }
}
