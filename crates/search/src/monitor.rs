//! Automata that watch a run: never claims, and whatever else can be written as guards and acceptance sets.
//!
//! A monitor moves first, on the initial state, and then in lock step with the system; it does not move inside an `atomic`. A
//! run is a violation if the monitor can follow it through every acceptance set again and again, or to a location that
//! completes it.

use promela::model::Expr;
use system::automaton::{Action, System};

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
    /// If none of the other guards of the location holds; `guard` is empty then.
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
        for location in &automaton.locations {
            let mut edges = Vec::new();
            let mut completes = false;
            for &id in &location.edges {
                let edge = automaton.edge(id);
                let (guard, otherwise) = match &edge.action {
                    Action::Condition(e) | Action::Assert(e) => (vec![(e.clone(), true)], false),
                    Action::Skip => (Vec::new(), false),
                    Action::Else => (Vec::new(), true),
                    Action::End => {
                        completes = true;
                        continue;
                    }
                    _ => return None,
                };
                let marks = u32::from(location.accept);
                edges.push(MonitorEdge { guard, otherwise, target: edge.target.0, marks });
            }
            locations.push(MonitorLocation { edges, completes });
        }
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

    /// A monitor that accepts every infinite run.
    pub fn of_everything() -> Monitor {
        Monitor { acceptance_sets: 0, process_labels_accept: false, ..Monitor::of_accept_labels() }
    }
}
