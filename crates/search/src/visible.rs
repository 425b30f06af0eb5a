//! What a formula looks at, so that a reduced search keeps every order of the moves that it can see.
//!
//! To the reducer a formula is one more process that reads globals and looks at channels ([`crate::reduce`]); beside that it may look at
//! where processes stand and at their variables.

use promela::model::{Expr, ExprKind, Frame, Place, ReceiveArgument, RemoteProcess, VariableId};
use system::automaton::{Action, AutomatonKind, System};
use system::interpreter::Interpreter;
use system::state::{ChannelId, State};

/// What a formula looks at.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    /// Slots of globals.
    pub slots: Vec<u32>,
    /// Channels.
    pub channels: Vec<ChannelId>,
    /// By automaton: its processes' variables are looked at.
    pub variables: Vec<bool>,
    /// By automaton and edge: taking it changes the answer to where a process stands.
    pub edges: Vec<Vec<bool>>,
}

impl Visible {
    /// What the propositions of a formula look at; `None` if that cannot be told beforehand.
    pub fn to(interpreter: &Interpreter<'_>, initial: &State, propositions: &[Expr]) -> Option<Visible> {
        let system = interpreter.system();
        let mut looking = Looking {
            interpreter,
            initial,
            found: Visible {
                variables: vec![false; system.automata.len()],
                edges: system.automata.iter().map(|automaton| vec![false; automaton.edges.len()]).collect(),
                ..Visible::default()
            },
            cannot_tell: false,
        };
        for proposition in propositions {
            proposition.visit(&mut |inner| looking.look(&inner.kind));
        }
        (!looking.cannot_tell).then_some(looking.found)
    }
}

struct Looking<'a, 's> {
    interpreter: &'a Interpreter<'s>,
    initial: &'a State,
    found: Visible,
    cannot_tell: bool,
}

impl Looking<'_, '_> {
    fn look(&mut self, kind: &ExprKind) {
        match kind {
            // Processes come and go by statements that are never put off, so their number needs no care.
            ExprKind::Constant { .. }
            | ExprKind::NumberOfProcesses
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..) => {}
            ExprKind::Read(place) => self.read(place),
            ExprKind::Len(channel)
            | ExprKind::Empty(channel)
            | ExprKind::NotEmpty(channel)
            | ExprKind::Full(channel)
            | ExprKind::NotFull(channel) => self.look_into(&channel.place),
            ExprKind::Poll { channel, arguments, .. } => {
                self.cannot_tell |=
                    arguments.iter().any(|argument| matches!(argument, ReceiveArgument::Store(_)));
                self.look_into(&channel.place);
            }
            ExprKind::RemoteLabel { proctype, pid, label } => match proctype {
                RemoteProcess::Proctype(id) | RemoteProcess::All(id) => {
                    self.stand_at(id.0 as usize, label, pid.is_some());
                }
                RemoteProcess::Claim(_) => self.cannot_tell = true,
            },
            ExprKind::RemoteVariable { proctype, pid, place } => {
                let variables = &mut self.found.variables;
                match pid {
                    // Whatever has that number is looked at, of whatever type it is.
                    Some(_) => variables.fill(true),
                    None => variables[proctype.0 as usize] = true,
                }
                self.cannot_tell |= !place.indices.is_empty();
            }
            ExprKind::Pid
            | ExprKind::Last
            | ExprKind::OwnPriority
            | ExprKind::NonProgress
            | ExprKind::Timeout
            | ExprKind::Run { .. }
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_) => self.cannot_tell = true,
        }
    }

    fn read(&mut self, place: &Place) {
        match place.frame {
            Frame::Global => {
                let slots = self.slots(place);
                self.found.slots.extend(slots);
            }
            Frame::Local => self.cannot_tell = true,
        }
    }

    /// A channel's contents. Which channel it is must be the same for ever.
    fn look_into(&mut self, place: &Place) {
        if place.frame != Frame::Global || is_written(self.interpreter.system(), place.variable) {
            self.cannot_tell = true;
            return;
        }
        for slot in self.slots(place) {
            let value = self.initial.globals[slot as usize];
            let id = u32::try_from(value - 1).ok().filter(|&id| (id as usize) < self.initial.channels.len());
            self.found.channels.extend(id.map(ChannelId));
        }
    }

    /// The slots that a place may be, all of its variable if an index is not a constant.
    fn slots(&self, place: &Place) -> std::ops::Range<u32> {
        let variable = &self.interpreter.system().model.globals[place.variable.0 as usize];
        let mut slot = place.base;
        for index in &place.indices {
            match index.value.kind {
                ExprKind::Constant { value, .. } if (0..index.length as i32).contains(&value) => {
                    slot += value as u32 * index.stride;
                }
                _ => return variable.slot..variable.slot + variable.slots,
            }
        }
        slot..slot + 1
    }

    /// Edges to and from a label. With a number given, processes of all types are asked whether they stand at the place that has
    /// the label's number.
    fn stand_at(&mut self, of: usize, label: &str, by_number: bool) {
        let automata = &self.interpreter.system().automata;
        let Some((_, number)) = automata[of].labels.iter().find(|(name, _)| name == label) else { return };
        for (index, automaton) in automata.iter().enumerate() {
            let is_asked = index == of || by_number && matches!(automaton.kind, AutomatonKind::Process(_));
            if !is_asked {
                continue;
            }
            for (edge, visible) in automaton.edges.iter().zip(&mut self.found.edges[index]) {
                let is_there = |location| automaton.location(location).number == *number;
                *visible |= is_there(edge.source) != is_there(edge.target);
            }
        }
    }
}

/// Whether some statement may change a global variable.
fn is_written(system: &System, variable: VariableId) -> bool {
    let is_it = |place: &Place| place.frame == Frame::Global && place.variable == variable;
    system.automata.iter().flat_map(|automaton| &automaton.edges).any(|edge| writes(&edge.action, &is_it))
}

fn writes(action: &Action, is_it: &dyn Fn(&Place) -> bool) -> bool {
    match action {
        Action::Assign { place, .. } => is_it(place),
        Action::Receive { arguments, .. } => {
            arguments.iter().any(|argument| matches!(argument, ReceiveArgument::Store(place) if is_it(place)))
        }
        Action::DStep(body) => {
            body.nodes.iter().flat_map(|node| &node.choices).any(|choice| writes(&choice.action, is_it))
        }
        _ => false,
    }
}
