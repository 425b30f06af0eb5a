//! What a formula or a question about labels looks at, so that a reduced search keeps every order of the moves that it can see.
//!
//! To the reducer a formula is one more process that reads globals and looks at channels ([`crate::reduce`]); beside that it may look at
//! where processes stand and at their variables. A question about labels looks at where processes stand, or at which statements they execute.

use promela::model::{Expr, Scalar};
use system::automaton::{Action, AutomatonId, AutomatonKind, Edge, EdgeId, LocationId, System};
use system::code::Whose;
use system::code::footprint::Footprint;
use system::interpreter::Interpreter;
use system::progress::ProgressStatements;
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
    pub edges: VisibleEdges,
    /// It looks at which processes there are.
    pub processes: bool,
}

impl Visible {
    /// What the propositions of a formula look at; `None` if that cannot be told beforehand.
    pub fn to(interpreter: &Interpreter<'_>, initial: &State, propositions: &[Expr]) -> Option<Visible> {
        let system = interpreter.system();
        let mut visible = Visible {
            variables: vec![false; system.automata.len()],
            edges: system.automata.iter().map(|automaton| vec![false; automaton.edges.len()]).collect(),
            ..Visible::default()
        };
        for proposition in propositions {
            visible.look(interpreter, &interpreter.proposition_footprint(initial, proposition))?;
        }
        Some(visible)
    }

    fn look(&mut self, interpreter: &Interpreter<'_>, footprint: &Footprint) -> Option<()> {
        let system = interpreter.system();
        let cannot_tell = footprint.pid
            || footprint.last
            || footprint.priorities
            || footprint.timeout
            || footprint.processes.anything
            || footprint.uses_unknown_channels()
            || !footprint.starts.is_empty()
            || !footprint.local_reads.is_empty();
        // Which channel it is must be the same for ever.
        let is_channel = |slot: u32| system.global_slots[slot as usize].scalar == Scalar::Chan;
        if cannot_tell || footprint.reads.iter().any(|slot| is_channel(slot) && is_written(interpreter, slot))
        {
            return None;
        }
        self.slots.extend(footprint.reads.iter());
        self.channels.extend(footprint.looks.known.iter().copied());
        // Processes start by statements that are never put off, so their number needs no care but for those that end.
        self.processes |= footprint.number_of_processes;
        for &(proctype, whose) in &footprint.processes.variables {
            match whose {
                // Whatever has that number is looked at, of whatever type it is.
                Whose::Numbered => self.variables.fill(true),
                Whose::First | Whose::All => self.variables[proctype.0 as usize] = true,
            }
        }
        for &(proctype, whose, number) in &footprint.processes.labels {
            self.stand_at(interpreter, proctype.0 as usize, number, whose == Whose::Numbered);
        }
        Some(())
    }

    /// Edges to and from a place. With a number of a process given, processes of all types are asked whether they stand at it.
    fn stand_at(&mut self, interpreter: &Interpreter<'_>, of: usize, number: u32, by_number: bool) {
        for (index, automaton) in interpreter.system().automata.iter().enumerate() {
            let is_asked = index == of || by_number && matches!(automaton.kind, AutomatonKind::Process(_));
            if !is_asked {
                continue;
            }
            for (edge, visible) in automaton.edges.iter().zip(&mut self.edges[index]) {
                let is_there = |location| automaton.location(location).number == number;
                let after = edge.action != Action::End && is_there(edge.target);
                *visible |= is_there(edge.source) != after;
            }
        }
    }
}

/// By automaton and edge.
pub type VisibleEdges = Vec<Vec<bool>>;

/// The edges by which a process comes to a marked place or leaves one. Whether anybody stands at one is the same before and after all others:
/// who starts is never put off, and who dies where there is a mark leaves it.
pub fn to_and_from(system: &System, is_marked: impl Fn(AutomatonId, LocationId) -> bool) -> VisibleEdges {
    let automata = system.automata.iter().enumerate();
    let edges = automata.map(|(index, automaton)| {
        let is_marked = |location| is_marked(AutomatonId(index as u32), location);
        let is_visible = |edge: &Edge| {
            let after = edge.action != Action::End && is_marked(edge.target);
            is_marked(edge.source) != after
        };
        automaton.edges.iter().map(is_visible).collect()
    });
    edges.collect()
}

/// The edges that execute a marked statement, or may do so inside of a `d_step`.
pub fn with_statements(system: &System, marked: &ProgressStatements) -> VisibleEdges {
    let mut edges: VisibleEdges =
        system.automata.iter().map(|automaton| vec![false; automaton.edges.len()]).collect();
    marked.iter().for_each(|id| edges[id.automaton.0 as usize][id.edge.0 as usize] = true);
    edges
}

/// Whether some statement may change a global slot.
fn is_written(interpreter: &Interpreter<'_>, slot: u32) -> bool {
    interpreter.system().process_automata().any(|(id, automaton)| {
        let mut edges = (0..automaton.edges.len()).map(|edge| EdgeId(edge as u32));
        edges.any(|edge| interpreter.static_footprint(id, edge).writes.contains(slot))
    })
}
