//! Automata that watch a run: never claims, and whatever else can be written as guards and acceptance sets.
//!
//! A monitor moves first, on the initial state, and then in lock step with the system; it does not move inside an `atomic`. A
//! run is a violation if the monitor can follow it through every acceptance set again and again, or to a location that
//! completes it.

use omega::{Automaton, BitSet, StateId, TypedIndex};
use promela::model::Expr;
use system::automaton::{Action, System};

/// The most acceptance sets that a monitor may have.
const MOST_ACCEPTANCE_SETS: usize = 31;

/// A generalised Büchi automaton over expressions of the model.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Where it may start.
    pub initial: Vec<u32>,
    /// Its locations.
    pub locations: Vec<MonitorLocation>,
    /// How many acceptance sets there are, at most 31. Without any, every infinite run that it can follow is accepted.
    pub acceptance_sets: u32,
    /// Whether `accept…` labels of processes count as members of set 0.
    pub process_labels_accept: bool,
}

/// A location of a monitor.
#[derive(Clone, Debug, Default)]
pub struct MonitorLocation {
    /// What leaves it.
    pub edges: Vec<MonitorEdge>,
    /// Whether being here is a violation at once.
    pub completes: bool,
}

/// A move of a monitor.
#[derive(Clone, Debug)]
pub struct MonitorEdge {
    /// Expressions that must be true (or false, where the flag says so) in the current state.
    pub guard: Vec<(Expr, bool)>,
    /// If none of the edges before it can be taken; `guard` is empty then.
    pub otherwise: bool,
    /// Where it leads.
    pub target: u32,
    /// Acceptance sets that it belongs to, as bits.
    pub marks: u32,
}

impl Monitor {
    /// The never claim with an index; `None` if the model has no such claim or it does more than to look.
    pub fn of_claim(system: &System, claim: usize) -> Option<Monitor> {
        let automaton = system.automaton(*system.claims.get(claim)?);
        let mut locations = Vec::new();
        // Where the claim is when one of its assertions has failed: a violation, as its end is.
        let failed = automaton.locations.len() as u32;
        for location in &automaton.locations {
            let mut edges = Vec::new();
            let mut completes = false;
            for &id in &location.edges {
                let edge = automaton.edge(id);
                let marks = u32::from(location.accept);
                let (guard, otherwise) = match &edge.action {
                    Action::Condition(e) => (vec![(e.clone(), true)], false),
                    Action::Assert(e) => {
                        let guard = vec![(e.clone(), false)];
                        edges.push(MonitorEdge { guard, otherwise: false, target: failed, marks });
                        (vec![(e.clone(), true)], false)
                    }
                    Action::Skip => (Vec::new(), false),
                    Action::Else => (Vec::new(), true),
                    Action::End => {
                        completes = true;
                        continue;
                    }
                    _ => return None,
                };
                edges.push(MonitorEdge { guard, otherwise, target: edge.target.0, marks });
            }
            locations.push(MonitorLocation { edges, completes });
        }
        locations.push(MonitorLocation { edges: Vec::new(), completes: true });
        Some(Monitor {
            initial: vec![automaton.initial.0],
            locations,
            acceptance_sets: 1,
            process_labels_accept: true,
        })
    }

    /// A monitor that only looks at the `accept…` labels of processes.
    pub fn of_accept_labels() -> Monitor {
        let edge = MonitorEdge { guard: Vec::new(), otherwise: false, target: 0, marks: 0 };
        Monitor {
            initial: vec![0],
            locations: vec![MonitorLocation { edges: vec![edge], completes: false }],
            acceptance_sets: 1,
            process_labels_accept: true,
        }
    }

    /// An automaton whose propositions are expressions of the model; `None` if it has more acceptance sets than fit. Edges that
    /// lead on come before those that stay, so that a depth-first search tries first what brings it nearer to acceptance.
    pub fn of_automaton(automaton: &Automaton, propositions: &[Expr]) -> Option<Monitor> {
        if automaton.mark_count() > MOST_ACCEPTANCE_SETS {
            return None;
        }
        let mut locations = Vec::new();
        for state in automaton.states() {
            let (mut onward, mut staying) = (Vec::new(), Vec::new());
            for edge in automaton.edges(state) {
                let literals = edge.label.literals().into_iter();
                let guard = literals
                    .map(|(proposition, wanted)| {
                        Some((propositions.get(proposition.position())?.clone(), wanted))
                    })
                    .collect::<Option<Vec<_>>>()?;
                let marks = edge.marks.iter().fold(0, |marks, mark| marks | 1 << mark.position());
                let list = if edge.target == state { &mut staying } else { &mut onward };
                list.push(MonitorEdge { guard, otherwise: false, target: edge.target.0, marks });
            }
            onward.append(&mut staying);
            locations.push(MonitorLocation { edges: onward, completes: false });
        }
        Some(Monitor {
            initial: vec![automaton.initial().0],
            locations,
            acceptance_sets: automaton.mark_count() as u32,
            process_labels_accept: false,
        })
    }

    /// The same monitor, which is completed where nothing that follows would be rejected.
    pub fn completed_at(mut self, universal: &BitSet<StateId>) -> Monitor {
        for state in universal.iter() {
            self.locations[state.position()].completes = true;
        }
        self
    }

    /// A monitor that only tells which propositions hold: at location 0, each that does has a move to the location with its number.
    pub fn of_propositions(propositions: &[Expr]) -> Monitor {
        let edge = |(index, proposition): (usize, &Expr)| MonitorEdge {
            guard: vec![(proposition.clone(), true)],
            otherwise: false,
            target: index as u32,
            marks: 0,
        };
        let mut locations = vec![MonitorLocation::default(); propositions.len().max(1)];
        locations[0].edges = propositions.iter().enumerate().map(edge).collect();
        Monitor { initial: vec![0], locations, acceptance_sets: 0, process_labels_accept: false }
    }

    /// The same monitor, which does not stop watching where it has no move: it goes on without ever accepting. So the product
    /// with it has every state of the system.
    pub fn watching_on(mut self) -> Monitor {
        if self.acceptance_sets == 0 {
            // What it can follow is accepted, and that must not be said of going on without a move.
            self.acceptance_sets = 1;
            self.locations
                .iter_mut()
                .flat_map(|location| &mut location.edges)
                .for_each(|edge| edge.marks = 1);
        }
        let aside = self.locations.len() as u32;
        let go_aside = || MonitorEdge { guard: Vec::new(), otherwise: true, target: aside, marks: 0 };
        for location in &mut self.locations {
            if !location.completes && !location.edges.iter().any(|edge| edge.otherwise) {
                location.edges.push(go_aside());
            }
        }
        self.locations.push(MonitorLocation { edges: vec![go_aside()], completes: false });
        self
    }

    /// A monitor that accepts every infinite run.
    pub fn of_everything() -> Monitor {
        Monitor { acceptance_sets: 0, process_labels_accept: false, ..Monitor::of_accept_labels() }
    }
}
