//! Who may start processes, and of which proctypes there is never more than one process.

use crate::reduce::Footprints;
use system::automaton::{Action, Automaton, LocationId, System};

/// What is known about statements that start processes.
#[derive(Debug)]
pub struct Births {
    /// Whether there are any.
    pub happen: bool,
    /// By automaton and location: whether a process there may come to one.
    pub may_start: Vec<Vec<bool>>,
    /// By automaton: whether at most one such process is there in all of a run.
    pub only_one: Vec<bool>,
}

/// A statement that starts processes.
struct Start<'s> {
    automaton: usize,
    proctypes: &'s [promela::model::ProctypeId],
    /// Whether it may be executed again, or may start several.
    repeats: bool,
}

impl Births {
    /// Looks at all automata.
    pub fn of(system: &System, footprints: &Footprints) -> Births {
        let mut may_start = Vec::new();
        let mut starts = Vec::new();
        for (index, (automaton, footprints)) in system.automata.iter().zip(&footprints.edges).enumerate() {
            let statements = automaton.edges.iter().zip(footprints);
            let starting = || statements.clone().filter(|(_, footprint)| !footprint.starts.is_empty());
            let to: Vec<LocationId> = starting().map(|(edge, _)| edge.source).collect();
            may_start.push(who_comes_to(automaton, &to));
            starts.extend(starting().map(|(edge, footprint)| {
                let comes_back = who_comes_to(automaton, &[edge.source])[edge.target.0 as usize];
                Start {
                    automaton: index,
                    proctypes: &footprint.starts,
                    repeats: comes_back || matches!(edge.action, Action::DStep(_)),
                }
            }));
        }
        Births { happen: !starts.is_empty(), may_start, only_one: only_ones(system, &starts) }
    }
}

/// By location: whether it leads to one of these.
fn who_comes_to(automaton: &Automaton, to: &[LocationId]) -> Vec<bool> {
    let mut comes = vec![false; automaton.locations.len()];
    to.iter().for_each(|location| comes[location.0 as usize] = true);
    loop {
        let mut changed = false;
        for edge in &automaton.edges {
            let source = edge.source.0 as usize;
            if comes[edge.target.0 as usize] && !comes[source] {
                (comes[source], changed) = (true, true);
            }
        }
        if !changed {
            return comes;
        }
    }
}

/// The least solution: nobody is the only one for no better reason than that he himself is.
fn only_ones(system: &System, starts: &[Start<'_>]) -> Vec<bool> {
    let mut only = vec![false; system.automata.len()];
    loop {
        let mut changed = false;
        for (index, proctype) in system.model.proctypes.iter().enumerate() {
            let of_type = |start: &&Start<'_>| start.proctypes.iter().any(|id| id.0 as usize == index);
            let mut often = proctype.active as usize;
            for start in starts.iter().filter(of_type) {
                let once = only[start.automaton] && !start.repeats;
                let count = start.proctypes.iter().filter(|id| id.0 as usize == index).count();
                often += if once { count } else { 2 };
            }
            if often <= 1 && !only[index] {
                (only[index], changed) = (true, true);
            }
        }
        if !changed {
            return only;
        }
    }
}
