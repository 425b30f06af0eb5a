//! What progress is: the one definition, of both readings.
//!
//! *By statement* (the papers' reading): a marked statement is executed. A statement is an edge, or a choice inside the `d_step` of an edge. A label
//! marks the statement that it stands before: in `do :: a!ping :: progress: b!pong od` only `b!pong`. Before a statement that is made of others it
//! marks those that it can begin with: all first statements of the options of an `if` or `do`, the first of an `atomic` or a block, the first of what
//! an `unless` guards. A `d_step` is a statement itself. A jump that no choice offers is no step, and gets a `skip` if it carries a label. The
//! lowering writes all this into [`Edge::labels`](crate::automaton::Edge::labels) and
//! [`DStepChoice::labels`](crate::automaton::DStepChoice::labels); in a rendezvous one of the two sides suffices.
//!
//! *By state* (SPIN's reading): a process stands at a marked location, as SPIN hands the marks on when it flattens choices
//! ([`Location::progress`](crate::automaton::Location::progress)).

use crate::automaton::{Action, Automaton, AutomatonId, DStepNodeId, EdgeId, LocationId, System};
use crate::interpreter::{Interpreter, Output, Step};
use crate::state::{Pid, Process, State};
use promela::source::Span;
use std::collections::BTreeSet;

/// Which statements are progress.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ProgressAt {
    /// Those at a label `progress…`.
    #[default]
    Labels,
    /// Those at these labels (in any process) or lines of the model's file.
    Places(Vec<ProgressPlace>),
}

/// A place that a person names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgressPlace {
    /// Every statement with this label.
    Label(String),
    /// Every statement that begins on this line, also inside of a `d_step`. A line where only the keyword of a statement made of others stands (`do`)
    /// names what that can begin with.
    Line(u32),
}

/// A statement of a process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StatementId {
    /// Of which automaton.
    pub automaton: AutomatonId,
    /// The edge.
    pub edge: EdgeId,
    /// The node and the choice, if it is a part of a `d_step`.
    pub inside: Option<(DStepNodeId, u32)>,
}

/// The statements of a system that are progress.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgressStatements {
    marked: BTreeSet<StatementId>,
}

impl FromIterator<StatementId> for ProgressStatements {
    fn from_iter<I: IntoIterator<Item = StatementId>>(statements: I) -> Self {
        Self { marked: statements.into_iter().collect() }
    }
}

impl ProgressStatements {
    /// The statements that are meant.
    pub fn new(system: &System, at: &ProgressAt) -> Self {
        let marked = match at {
            ProgressAt::Labels => statements(system).filter(|s| s.progress).map(|s| s.id).collect(),
            ProgressAt::Places(places) => places.iter().flat_map(|place| named(system, place)).collect(),
        };
        Self { marked }
    }

    /// Whether nothing is progress.
    pub fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    /// The marked statements in order.
    pub fn iter(&self) -> impl Iterator<Item = StatementId> + '_ {
        self.marked.iter().copied()
    }

    /// Whether executing the statement is progress. Whatever is executed of a `d_step` that is marked itself, is.
    pub fn contains(&self, statement: StatementId) -> bool {
        self.marked.contains(&StatementId { inside: None, ..statement }) || self.marked.contains(&statement)
    }

    /// Whether a step of a state makes progress: one that the state allows.
    pub fn is_made_by(&self, interpreter: &Interpreter<'_>, state: &State, step: Step) -> bool {
        let partner = step.partner.map(|partner| (partner.process, partner.edge));
        let movers = [Some((step.process, step.edge)), partner];
        let statements = movers.into_iter().flatten().map(|(pid, edge)| {
            let automaton = state.processes[pid.0 as usize].automaton;
            (pid, StatementId { automaton, edge, inside: None })
        });
        let statements: Vec<(Pid, StatementId)> = statements.collect();
        if statements.iter().any(|(_, statement)| self.marked.contains(statement)) {
            return true;
        }
        if !statements.iter().any(|(_, statement)| self.marks_inside(*statement)) {
            return false;
        }
        // Which statements of a `d_step` are executed only its execution tells.
        let mut witness = Witness { marked: &self.marked, statements, seen: false };
        let executed = interpreter.execute(&mut state.clone(), step, &(), &mut witness);
        // One that ends in an error ends the run, and is no part of what goes on for ever.
        executed.is_ok() && witness.seen
    }

    /// Whether a statement can be executed in the middle of a step, so that no state shows it: no process stands at a mark before or after it.
    pub fn some_are_hidden(&self, system: &System, at: &ProgressAt) -> bool {
        self.iter().any(|statement| {
            let automaton = system.automaton(statement.automaton);
            let edge = automaton.edge(statement.edge);
            let stands = |location| location_is_progress(system, at, automaton, location);
            let is_entered_atomically = automaton.edges.iter().any(|e| e.atomic && e.target == edge.source);
            let before = stands(edge.source) && !is_entered_atomically;
            let after = stands(edge.target) && !edge.atomic;
            !before && !after
        })
    }

    fn marks_inside(&self, edge: StatementId) -> bool {
        let first = StatementId { inside: Some((DStepNodeId(0), 0)), ..edge };
        let last = StatementId { inside: Some((DStepNodeId(u32::MAX), u32::MAX)), ..edge };
        self.marked.range(first..=last).next().is_some()
    }
}

/// Whether a process stands at a place that counts, by state.
pub fn stands_at(system: &System, at: &ProgressAt, process: &Process) -> bool {
    location_is_progress(system, at, system.automaton(process.automaton), process.location)
}

/// Whether standing at a location counts, by state.
pub fn location_is_progress(
    system: &System,
    at: &ProgressAt,
    automaton: &Automaton,
    location: LocationId,
) -> bool {
    let ProgressAt::Places(places) = at else { return automaton.location(location).progress };
    let is_on = |line: u32, span| system.model.sources.visible_line(span) == line;
    places.iter().any(|place| match place {
        ProgressPlace::Label(name) => {
            let mut edges = automaton.edges_from(location);
            automaton.location(location).labels.contains(name)
                || edges.any(|(_, edge)| edge.labels.contains(name))
        }
        ProgressPlace::Line(line) => {
            let own = is_on(*line, automaton.location(location).span);
            own || automaton.edges_from(location).any(|(_, edge)| is_on(*line, edge.span))
        }
    })
}

/// What a place names.
fn named<'s>(system: &'s System, place: &'s ProgressPlace) -> Vec<StatementId> {
    match place {
        ProgressPlace::Label(label) => {
            let labelled = statements(system).filter(|statement| statement.labels.contains(label));
            labelled.map(|statement| statement.id).collect()
        }
        ProgressPlace::Line(line) => {
            let is_there = |span| system.model.sources.visible_line(span) == *line;
            let begun = statements(system).filter(|statement| is_there(statement.span));
            let begun: Vec<StatementId> = begun.map(|statement| statement.id).collect();
            if !begun.is_empty() {
                return begun;
            }
            let first_of_compound = statements(system).filter(|statement| {
                let automaton = system.automaton(statement.id.automaton);
                let edge = automaton.edge(statement.id.edge);
                let is_guarded = statement.id.inside.is_none() && edge.escape == 0;
                is_guarded && is_there(automaton.location(edge.source).span)
            });
            first_of_compound.map(|statement| statement.id).collect()
        }
    }
}

struct Statement<'s> {
    id: StatementId,
    labels: &'s [String],
    progress: bool,
    span: Span,
}

/// All statements of processes.
fn statements(system: &System) -> impl Iterator<Item = Statement<'_>> {
    system.process_automata().flat_map(|(id, automaton)| {
        automaton.edges.iter().enumerate().flat_map(move |(index, edge)| {
            let whole = StatementId { automaton: id, edge: EdgeId(index as u32), inside: None };
            let own = Statement { id: whole, labels: &edge.labels, progress: edge.progress, span: edge.span };
            let nodes = match &edge.action {
                Action::DStep(body) => &body.nodes[..],
                _ => &[],
            };
            let inside = nodes.iter().enumerate().flat_map(move |(node, choices)| {
                choices.choices.iter().enumerate().map(move |(position, choice)| Statement {
                    id: StatementId { inside: Some((DStepNodeId(node as u32), position as u32)), ..whole },
                    labels: &choice.labels,
                    progress: choice.progress,
                    span: choice.span,
                })
            });
            std::iter::once(own).chain(inside)
        })
    })
}

/// Sees which statements of a `d_step` are executed.
struct Witness<'a> {
    marked: &'a BTreeSet<StatementId>,
    statements: Vec<(Pid, StatementId)>,
    seen: bool,
}

impl Output for Witness<'_> {
    fn chose(&mut self, process: Pid, node: DStepNodeId, choice: u32) {
        for (pid, statement) in &self.statements {
            let inside = StatementId { inside: Some((node, choice)), ..*statement };
            self.seen |= *pid == process && self.marked.contains(&inside);
        }
    }
}
