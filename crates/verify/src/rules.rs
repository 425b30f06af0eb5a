//! Facts that imply facts. Each rule says why it is true, and has a test.

use crate::facts::{Facts, Graph};
use certificate::verdict::{Capacities as ProofCapacities, Verdict};
use system::automaton::System;
use system::capacities::CapacityReading;
use system::interpreter::{Capacities, Interpreter};

/// The graph with these capacities, if it is known or implied.
///
/// *A complete graph in which no buffer is ever full is the graph with unbounded queues*: capacities matter only where a channel is full,
/// for the send that would wait and for whoever asks; in no state of the graph is one, so every state has the same steps without limits.
pub fn graph(system: &System, facts: &Facts, capacities: Capacities) -> Option<Graph> {
    let known = facts.graphs.iter().find(|graph| graph.capacities == capacities);
    let implied = || {
        let mut others = facts.graphs.iter().filter(|_| capacities == Capacities::Unbounded);
        others.find(|graph| is_never_full(system, graph))
    };
    known.or_else(implied).map(|graph| Graph { capacities, ..graph.clone() })
}

/// Whether every channel always has room for one more message, also within a step.
fn is_never_full(system: &System, graph: &Graph) -> bool {
    let capacity = |declared: u32| match graph.capacities {
        Capacities::Declared => declared,
        Capacities::Fixed(size) => size,
        Capacities::Unbounded => u32::MAX,
    };
    let types = &system.model.channel_types;
    // The number of a channel that is gone may be given to another: then the smallest of all has to do.
    let initial = Interpreter::new(system, graph.capacities).initial_state();
    let are_all_there_at_first = initial.is_ok_and(|state| state.channels.len() >= graph.peaks.len());
    let smallest = types.iter().map(|channel| channel.capacity).filter(|&declared| declared > 0).min();
    graph.peaks.iter().all(|peak| {
        let own = types[peak.channel_type.0 as usize].capacity;
        let declared = if are_all_there_at_first { own } else { smallest.unwrap_or(own) };
        // A rendezvous channel is no buffer, and stays what it is.
        own == 0 || peak.peak < capacity(declared)
    })
}

/// Under which capacities something holds that is true of all states, or of all infinite runs, of a complete graph.
///
/// *Nothing in the model notices that a send waits*: then runs with limits are runs without ([`system::blocking`]), and what is true of
/// unbounded queues is true for every capacity.
pub fn reach(capacities: Capacities, waits_are_noticed: bool) -> CapacityReading {
    match capacities {
        Capacities::Unbounded if !waits_are_noticed => CapacityReading::Any,
        other => other.into(),
    }
}

/// Whether all buffers are bounded because every run ends, where `nothing_is_progress`.
///
/// *A system in which every run ends has finitely many states*: each state has finitely many steps, so by König's lemma infinitely many
/// states would make an infinite run. A proof of progress where nothing counts as progress is a proof that every run ends.
pub fn all_runs_end(facts: &Facts, nothing_is_progress: bool) -> bool {
    nothing_is_progress && facts.livelock_free.is_some()
}

/// Whether buffers are proved to be bounded and one grows for ever all the same: a defect, and nothing is known.
pub fn boundedness_contradicts(facts: &Facts, graph: Option<&Graph>) -> bool {
    !facts.pumps.is_empty() && (facts.all_bounded.is_some() || graph.is_some())
}

/// Whether a buffer is proved to hold at most so many messages and held more all the same, or grows for ever. `seen`: in runs that the proof
/// speaks of.
pub fn bound_contradicts(at_most: u64, seen: Option<u64>, grows: bool) -> bool {
    grows || seen.is_some_and(|seen| seen > at_most)
}

/// Whether there is a run without progress although there is none; `is_proved`: by a certificate.
pub fn progress_contradicts(facts: &Facts, is_proved: bool) -> bool {
    let fairly = facts.fair_progress.as_ref().map(|answer| &answer.verdict);
    let is_violated = facts.without_progress.is_some() || matches!(fairly, Some(Verdict::Violated(_)));
    is_violated && (is_proved || facts.progress_searched.is_some())
}

/// The capacities that a search must have to decide what proofs are asked for.
pub fn searched_capacities(capacities: ProofCapacities) -> Capacities {
    match capacities {
        ProofCapacities::Any => Capacities::Unbounded,
        ProofCapacities::Declared => Capacities::Declared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Figures, Question};
    use crate::options::{CheckOptions, Questions};
    use crate::{Supervisor, check};
    use certificate::Certificate;
    use certificate::pump::{ConfirmedPump, PumpQuestion};
    use certificate::verdict::{Evidence, Verdict};
    use search::pumps::PumpOptions;
    use search::{Limits, SearchOptions, explore};
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use system::read_text;

    fn searched(text: &str, capacities: Capacities) -> (System, Facts) {
        let system = read_text(text).expect("a model");
        let options = SearchOptions { capacities, ..SearchOptions::full() };
        let report = explore(&system, &options, &search::Control::none()).expect("a first state");
        let figures = Figures::of(&report);
        let mut facts = Facts::default();
        facts.add_graph(Graph { capacities, figures, peaks: report.channels, digest: report.digest });
        (system, facts)
    }

    const ONE_AT_A_TIME: &str = "chan c = [2] of { byte }; chan back = [0] of { bit };
        active proctype P() { do :: c!1; back?0 od }
        active proctype Q() { do :: c?1; back!0 od }";

    #[test]
    fn a_graph_in_which_no_buffer_is_ever_full_is_the_graph_without_limits() {
        let (system, facts) = searched(ONE_AT_A_TIME, Capacities::Declared);
        let implied = graph(&system, &facts, Capacities::Unbounded).expect("it is implied");
        let (_, unbounded) = searched(ONE_AT_A_TIME, Capacities::Unbounded);
        assert_eq!(implied.figures, unbounded.graphs[0].figures);
        assert_eq!(implied.digest, unbounded.graphs[0].digest);
    }

    #[test]
    fn a_graph_in_which_a_buffer_is_full_once_says_nothing_about_larger_ones() {
        let text = ONE_AT_A_TIME.replace("[2] of", "[1] of");
        let (system, facts) = searched(&text, Capacities::Declared);
        assert!(graph(&system, &facts, Capacities::Unbounded).is_none());
        assert!(graph(&system, &facts, Capacities::Fixed(2)).is_none());
    }

    #[test]
    fn a_buffer_that_is_full_in_the_middle_of_a_step_is_full() {
        let text = "chan c = [1] of { byte }; active proctype P() { do :: d_step { c!1; c?1 } od }";
        let (system, facts) = searched(text, Capacities::Declared);
        assert!(graph(&system, &facts, Capacities::Unbounded).is_none());
    }

    /// The second channel has the number of the first, and is smaller.
    #[test]
    fn channels_that_come_and_go_are_as_small_as_the_smallest() {
        let text = "chan over = [0] of { bit };
            proctype A() { chan own = [3] of { byte }; own!1; own?1; over!0 }
            proctype B() { chan own = [1] of { byte }; own!1; own?1; over!0 }
            init { do :: run A(); over?0; _nr_pr == 1 :: run B(); over?0; _nr_pr == 1 od }";
        let (system, facts) = searched(text, Capacities::Declared);
        assert!(graph(&system, &facts, Capacities::Unbounded).is_none());
    }

    #[test]
    fn what_holds_without_limits_holds_for_every_capacity_where_nobody_notices_a_wait() {
        let noticed = |text: &str| system::blocking::is_noticed(&read_text(text).expect("a model"));
        assert_eq!(reach(Capacities::Unbounded, noticed(ONE_AT_A_TIME)), CapacityReading::Any);
        let looks = ONE_AT_A_TIME.replace("c!1; back?0", "c!1; back?0 :: full(c) -> skip");
        assert_eq!(reach(Capacities::Unbounded, noticed(&looks)), CapacityReading::Unbounded);
        assert_eq!(reach(Capacities::Declared, false), CapacityReading::Declared);
    }

    /// A run that floods, and a certificate about another model: facts that cannot both be true.
    fn flood_and_certificate() -> (ConfirmedPump, Arc<Certificate>) {
        let flood =
            read_text("chan c = [1] of { byte }; active proctype P() { do :: c!1 od }").expect("a model");
        let options = PumpOptions {
            question: PumpQuestion::Unbounded,
            is_open: &|_| true,
            suspicious: &BTreeSet::new,
            limits: Limits::default(),
        };
        let mut found = Vec::new();
        let keep = &mut |pump| {
            found.push(pump);
            ControlFlow::Break(())
        };
        search::pumps::find(&flood, &options, &search::Control::none(), keep).expect("a first state");
        let nobody = proofs::Nobody::default();
        let bounded = read_text(ONE_AT_A_TIME).expect("a model");
        proofs::bounds(&bounded, &proofs::BoundsOptions::default(), &nobody);
        let certificate = nobody.facts().into_iter().find_map(|fact| match fact {
            proofs::Fact::AllBounded(certificate) => Some(certificate),
            _ => None,
        });
        (found.remove(0), certificate.expect("it is bounded"))
    }

    #[test]
    fn a_buffer_that_grows_contradicts_every_proof_that_none_does() {
        let (pump, certificate) = flood_and_certificate();
        let (_, searched) = searched(ONE_AT_A_TIME, Capacities::Unbounded);
        let graph = &searched.graphs[0];
        let grows = Facts { pumps: vec![pump], ..Facts::default() };
        assert!(!boundedness_contradicts(&grows, None));
        assert!(boundedness_contradicts(&grows, Some(graph)));
        assert!(!boundedness_contradicts(&Facts::default(), Some(graph)));
        let proved = Facts { all_bounded: Some(certificate), ..grows };
        assert!(boundedness_contradicts(&proved, None));
    }

    #[test]
    fn a_bound_that_was_passed_is_no_bound() {
        assert!(!bound_contradicts(2, None, false));
        assert!(!bound_contradicts(2, Some(2), false));
        assert!(bound_contradicts(2, Some(3), false));
        assert!(bound_contradicts(2, Some(0), true));
    }

    #[test]
    fn a_run_without_progress_contradicts_every_proof_that_there_is_none() {
        let (pump, _) = flood_and_certificate();
        let run = Facts { without_progress: Some(crate::buffers::counterexample(&pump)), ..Facts::default() };
        assert!(!progress_contradicts(&run, false));
        assert!(progress_contradicts(&run, true));
        let figures = Some(Figures { states: 1, transitions: 1, sliced: false });
        assert!(progress_contradicts(&Facts { progress_searched: figures, ..run }, false));
        assert!(!progress_contradicts(&Facts { progress_searched: figures, ..Facts::default() }, true));
    }

    #[test]
    fn where_every_run_ends_every_buffer_is_bounded() {
        let facts = Facts::default();
        assert!(!all_runs_end(&facts, true));
        let text = "chan c = [1] of { byte }; active proctype P() { byte i; do :: i < 9 -> c!i; i++ :: else -> break od }";
        let options = CheckOptions {
            questions: Questions { buffers: true, progress: true, ..Questions::none() },
            thorough: true,
            ..CheckOptions::default()
        };
        let report = check(&read_text(text).expect("a model"), &options, &Supervisor::none());
        let answer = report.answer(&Question::Progress).expect("an answer");
        let Verdict::Proved(Evidence::Certificate(certificate)) = &answer.verdict else {
            panic!("{answer:?}")
        };
        let facts = Facts { livelock_free: Some(certificate.clone()), ..Facts::default() };
        assert!(all_runs_end(&facts, true));
        assert!(!all_runs_end(&facts, false));
    }
}
