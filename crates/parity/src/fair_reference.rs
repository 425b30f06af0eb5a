//! Formulas and progress under fairness decided in the slowest and most obvious way, to hold `search::fair` against.
//!
//! The graph is the plain one ([`crate::plain`]), the automaton of the negated formula a plain Büchi automaton. Then
//! every set of processes is tried as the set of those who act again and again: only their steps are left, under strong
//! fairness only the states in which nobody else can move; and some strongly connected part of what is left must be
//! accepting and let exactly them act. Nothing is pruned and nothing is found on the fly.

use crate::plain::{Plain, Processes, Product};
use certificate::verdict::{ProgressReading, StopReason, Verdict};
use omega::Fairness;
use petgraph::graph::{DiGraph, NodeIndex};
use search::Control;
use search::fair::{Counters, FairOptions, check_formula, check_progress};
use system::automaton::System;
use system::interpreter::Capacities;
use system::progress::ProgressAt;

/// With more processes not all subsets are tried.
const MOST_PROCESSES: u32 = 7;

impl Product {
    /// Whether some run, fair as asked, violates the formula; nothing if there are too many processes to try.
    pub fn is_violated(&self, fairness: Fairness) -> Option<bool> {
        let groups: Vec<Processes> = match fairness {
            Fairness::None => vec![self.everybody],
            _ if self.everybody.count_ones() > MOST_PROCESSES => return None,
            // All subsets.
            Fairness::Weak | Fairness::Strong => {
                (0..=self.everybody).filter(|&group| group & !self.everybody == 0).collect()
            }
        };
        Some(groups.into_iter().any(|group| self.has_accepting_part(group, fairness)))
    }

    /// Whether there is an accepting part in which exactly this group acts, fairly; without fairness whoever acts.
    fn has_accepting_part(&self, group: Processes, fairness: Fairness) -> bool {
        let is_left = |node: usize| fairness != Fairness::Strong || self.enabled[node] & !group == 0;
        let mut graph = DiGraph::<(), (Processes, bool)>::with_capacity(self.moves.len(), self.moves.len());
        self.moves.iter().for_each(|_| {
            graph.add_node(());
        });
        for (node, moves) in self.moves.iter().enumerate().filter(|(node, _)| is_left(*node)) {
            for &(target, actors, accepting) in moves {
                if is_left(target) && actors & !group == 0 {
                    graph.add_edge(NodeIndex::new(node), NodeIndex::new(target), (actors, accepting));
                }
            }
        }
        let mut component = vec![0; self.moves.len()];
        let components = petgraph::algo::tarjan_scc(&graph);
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|node| component[node.index()] = number);
        }
        components.iter().enumerate().any(|(number, members)| {
            let inner: Vec<(Processes, bool)> = members
                .iter()
                .flat_map(|&node| graph.edges(node))
                .filter(|edge| component[petgraph::visit::EdgeRef::target(edge).index()] == number)
                .map(|edge| *edge.weight())
                .collect();
            let acting = inner.iter().fold(0, |all, &(actors, _)| all | actors);
            let always_enabled = members.iter().fold(!0, |all, node| all & self.enabled[node.index()]);
            let is_fair = match fairness {
                Fairness::None => true,
                Fairness::Weak => acting == group && always_enabled & !group == 0,
                Fairness::Strong => acting == group,
            };
            is_fair && inner.iter().any(|&(_, accepting)| accepting)
        })
    }
}

/// What a comparison of the engine with the reference came to.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Verdicts that were compared.
    pub compared: u64,
    /// How many of them are violations.
    pub violated: u64,
    /// Formulas whose verdict depends on the fairness.
    pub sensitive: u64,
    /// Verdicts that the engine left open.
    pub undecided: u64,
    /// What differs, in words.
    pub differences: Vec<String>,
}

impl Agreement {
    /// Holds a verdict against the truth; whether there is one.
    fn hold<V>(&mut self, asked: &str, verdict: &Verdict<V>, truth: bool) -> bool {
        let found = match verdict {
            Verdict::Proved(_) => false,
            Verdict::Violated(_) => true,
            Verdict::Unknown(unknown) => {
                // A counterexample that cannot be replayed was none.
                if matches!(unknown.reason, StopReason::ReplayFailed { .. }) {
                    self.differences.push(format!("{asked}: {unknown:?}"));
                }
                return false;
            }
        };
        self.compared += 1;
        self.violated += u64::from(truth);
        if found != truth {
            self.differences.push(format!("{asked}: violated {found}, reference {truth}"));
        }
        true
    }

    /// Both together.
    pub fn add(&mut self, other: Agreement) {
        self.compared += other.compared;
        self.violated += other.violated;
        self.sensitive += other.sensitive;
        self.undecided += other.undecided;
        self.differences.extend(other.differences);
    }
}

/// Compares the engine, with states and with counters, with the reference: all formulas of a model under every fairness. A model that
/// cannot be read or has too many states gives nothing.
pub fn compare(text: &str, most_states: usize) -> Agreement {
    let Ok(system) = crate::input::read_text("model.pml", text) else { return Agreement::default() };
    match Plain::new(&system, Capacities::Declared, most_states) {
        Ok(plain) => {
            let mut agreement = compare_with(&system, &plain);
            agreement.add(compare_progress(&system, &plain));
            agreement
        }
        Err(_) => Agreement::default(),
    }
}

/// The same of progress, in both readings; with states only.
fn compare_progress(system: &System, plain: &Plain<'_>) -> Agreement {
    let mut agreement = Agreement::default();
    for reading in [ProgressReading::Transition, ProgressReading::State] {
        let reference = plain.without_progress(reading);
        let mut verdicts = Vec::new();
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let Some(truth) = reference.is_violated(fairness) else { continue };
            verdicts.push(truth);
            let options = FairOptions { fairness, diagnose: false, ..FairOptions::default() };
            let report = check_progress(system, &ProgressAt::Labels, reading, &options, &Control::none());
            let asked = format!("progress by {reading:?} {fairness:?}");
            let is_decided = agreement.hold(&asked, &report.verdict, truth);
            agreement.undecided += u64::from(!is_decided);
        }
        agreement.sensitive += u64::from(verdicts.iter().any(|&verdict| verdict != verdicts[0]));
    }
    agreement
}

/// The same of formulas, with a plain graph that is known already.
pub fn compare_with(system: &System, plain: &Plain<'_>) -> Agreement {
    let mut agreement = Agreement::default();
    for formula in &system.model.formulas {
        let Some(reference) = plain.product(&formula.formula) else { continue };
        let mut verdicts = Vec::new();
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let Some(truth) = reference.is_violated(fairness) else { continue };
            verdicts.push(truth);
            for counters in [Counters::Off, Counters::On] {
                let options = FairOptions { fairness, counters, diagnose: false, ..FairOptions::default() };
                let report = check_formula(system, formula, &options, &Control::none());
                let asked = format!("{} {fairness:?} {counters:?}", formula.name);
                let is_decided = agreement.hold(&asked, &report.verdict, truth);
                agreement.undecided += u64::from(!is_decided && counters == Counters::Off);
            }
        }
        agreement.sensitive += u64::from(verdicts.iter().any(|&verdict| verdict != verdicts[0]));
    }
    agreement
}
