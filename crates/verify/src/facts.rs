//! What is known of a model while engines work on it. Facts are only added and improved, never taken back.
//!
//! Who publishes a fact has had it judged: certificates by [`certificate::check`], pumps by [`certificate::pump`], lassos by a replay.

use crate::answer::{Answer, Bound, Counterexample, Figures, Question};
use crate::consistency;
use crate::safety::Safety;
use certificate::Certificate;
use certificate::pump::ConfirmedPump;
use certificate::verdict::{Evidence, Verdict};
use proofs::{BufferName, Fact, SeenValues, Stopped};
use search::{ChannelPeak, StatesDigest};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use system::automaton::{AutomatonId, EdgeId};
use system::interpreter::Capacities;
use system::state::ChannelId;

/// What is known.
#[derive(Debug, Default)]
pub struct Facts {
    /// The buffers, if a prover has named them.
    pub buffers: Option<Vec<BufferName>>,
    /// All of them are bounded.
    pub all_bounded: Option<Arc<Certificate>>,
    /// Bounds by name of the buffer, the least of each.
    pub bounds: BTreeMap<String, (u64, Arc<Certificate>)>,
    /// Every infinite run makes progress, a labelled statement being executed.
    pub livelock_free: Option<Arc<Certificate>>,
    /// Why every fair infinite run makes progress again and again; it says nothing of other runs.
    pub fairly_livelock_free: Option<Arc<Certificate>>,
    /// Runs in which buffers grow for ever.
    pub pumps: Vec<ConfirmedPump>,
    /// A run without progress, in the reading that was asked for.
    pub without_progress: Option<Counterexample>,
    /// A first look for one that goes round has been taken.
    pub looked_for_lassos: bool,
    /// All states were searched for such a run, with buffers as the proofs have them, and there is none.
    pub progress_searched: Option<Figures>,
    /// Formulas that every run satisfies, by their names.
    pub formulas: BTreeMap<String, Arc<Certificate>>,
    /// What a search says where only fair runs count.
    pub fair_progress: Option<Answer>,
    /// Graphs of which all states are known.
    pub graphs: Vec<Graph>,
    /// The most messages that were seen in a channel, by its number, with limits to buffers and without.
    pub peaks: BTreeMap<(WithLimits, u32), u64>,
    /// Whoever searches all states has stopped, wherever that was.
    pub all_states_ended: bool,
    /// Bounds were gone straight for in vain, and there are more states than are searched for the sake of a figure.
    pub is_beyond_search: bool,
    /// Values of variables that a first look saw, as soon as somebody has looked.
    pub seen: Option<SeenValues>,
    /// That first look saw all states.
    pub first_look_was_all: bool,
    /// Statements of what looks like a counterexample.
    pub suspicious: BTreeSet<(AutomatonId, EdgeId)>,
    /// How far a search with the capacities of the proofs came that is not at its end.
    pub searched: Option<Figures>,
    /// Where the prover of bounds stopped.
    pub bounds_stopped: Option<Stopped>,
    /// Where the prover of progress stopped.
    pub progress_stopped: Option<Stopped>,
    /// Answers of engines that answer whole questions.
    pub answers: Vec<Answer>,
    /// For whose sake a stage worked that failed: a defect.
    pub failed: Vec<Question>,
    /// After how many seconds questions were decided.
    pub decided: BTreeMap<Question, f64>,
    /// What the search for errors saw.
    pub safety: Option<Safety>,
}

/// Whether buffers had limits when something was seen.
pub type WithLimits = bool;

/// A graph of which all states are known.
#[derive(Clone, Debug)]
pub struct Graph {
    /// How large buffers are in it.
    pub capacities: Capacities,
    /// Its size.
    pub figures: Figures,
    /// How full each channel gets, also within a step.
    pub peaks: Vec<ChannelPeak>,
    /// What stands for the set of its states.
    pub digest: Option<StatesDigest>,
}

impl Facts {
    /// Adds the answer to a question, or a better one: what was decided stays decided.
    pub fn add_answer(&mut self, answer: Answer) {
        let Some(known) = self.answers.iter_mut().find(|known| known.question == answer.question) else {
            return self.answers.push(answer);
        };
        match (&known.verdict, &answer.verdict) {
            (Verdict::Violated(_), Verdict::Proved(_)) | (Verdict::Proved(_), Verdict::Violated(_)) => {
                consistency::withdraw(known, "one search finds what another one excludes");
            }
            (Verdict::Proved(_) | Verdict::Violated(_), Verdict::Unknown(_)) => {}
            // A certificate says more than a search.
            (Verdict::Proved(Evidence::Certificate(_)), Verdict::Proved(Evidence::Search { .. })) => {}
            _ => *known = answer,
        }
    }

    /// Takes over what a prover found.
    pub fn add(&mut self, fact: Fact) {
        match fact {
            Fact::Buffers(names) => self.buffers = Some(names),
            Fact::AllBounded(certificate) => {
                self.all_bounded.get_or_insert(certificate);
            }
            Fact::AtMost { buffer, bound, certificate } => {
                if self.bounds.get(&buffer).is_none_or(|(known, _)| bound < *known) {
                    self.bounds.insert(buffer, (bound, certificate));
                }
            }
            Fact::LivelockFree(certificate) => {
                self.livelock_free.get_or_insert(certificate);
            }
            Fact::FairProgress(certificate) => {
                self.fairly_livelock_free.get_or_insert(certificate);
            }
            Fact::Formula { name, certificate } => {
                self.formulas.entry(name).or_insert(certificate);
            }
            Fact::Suspicious(statements) => self.suspicious.extend(statements),
        }
    }

    /// Takes over how full channels were seen.
    pub fn add_peaks(&mut self, capacities: Capacities, peaks: &[ChannelPeak]) {
        for peak in peaks {
            let known = self.peaks.entry((capacities != Capacities::Unbounded, peak.channel.0)).or_default();
            *known = u64::from(peak.peak).max(*known);
        }
    }

    /// Takes over a graph.
    pub fn add_graph(&mut self, graph: Graph) {
        self.add_peaks(graph.capacities, &graph.peaks);
        if self.graphs.iter().all(|known| known.capacities != graph.capacities) {
            self.graphs.push(graph);
        }
    }

    /// Takes over a run in which buffers grow, if it says something new.
    pub fn add_pump(&mut self, pump: ConfirmedPump) {
        let is_known = |channel: &ChannelId| {
            self.pump_at(channel.0).is_some_and(|known| known.more_processes <= pump.more_processes)
        };
        if !pump.grows.iter().all(is_known) {
            self.pumps.push(pump);
        }
    }

    /// The least bound that a certificate shows, and whether a run is known that reaches it.
    pub fn certified_bound(&self, buffer: &BufferName) -> Option<(Bound, &Arc<Certificate>)> {
        let (at_most, certificate) = self.bounds.get(&buffer.name)?;
        let tight = self.most_seen(buffer) == Some(*at_most);
        Some((Bound { at_most: *at_most, tight }, certificate))
    }

    /// The most messages that a run was seen to leave in the buffer, whatever the capacities.
    pub fn most_seen(&self, buffer: &BufferName) -> Option<u64> {
        let channel = buffer.channel?;
        [false, true].into_iter().filter_map(|limits| self.peaks.get(&(limits, channel)).copied()).max()
    }

    /// A run in which the buffer grows for ever; one that does not need more processes each time is real in SPIN too.
    pub fn pump_of(&self, buffer: &BufferName) -> Option<&ConfirmedPump> {
        self.pump_at(buffer.channel?)
    }

    fn pump_at(&self, channel: u32) -> Option<&ConfirmedPump> {
        let grows = |pump: &&ConfirmedPump| pump.grows.iter().any(|grows| grows.0 == channel);
        self.pumps.iter().filter(grows).min_by_key(|pump| pump.more_processes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Reading;
    use certificate::verdict::{Evidence, StopReason};
    use system::capacities::CapacityReading;

    #[test]
    fn what_is_decided_stays_decided_and_two_answers_that_differ_are_none() {
        let reading = Reading::of(CapacityReading::Declared);
        let unknown = Answer::unknown(Question::Assertions, reading, StopReason::Cancelled, "stopped");
        let proved = Verdict::Proved(Evidence::Search { states: 1, transitions: 1 });
        let proved = Answer::new(Question::Assertions, proved, reading, "all 1 state searched");
        let system = system::read_text("active proctype P() { assert(false) }").expect("a model");
        let trace = certificate::trace::Trace::new(&system, Capacities::Declared, &[], None);
        let violated = Verdict::Violated(Counterexample::Run { trace, problem: "it fails".to_string() });
        let violated = Answer::new(Question::Assertions, violated, reading, "it fails");
        let word = |answers: [&Answer; 2]| {
            let mut facts = Facts::default();
            answers.into_iter().for_each(|answer| facts.add_answer(answer.clone()));
            facts.answers[0].verdict.word()
        };
        assert_eq!(word([&violated, &unknown]), "VIOLATED");
        assert_eq!(word([&unknown, &proved]), "PROVED");
        assert_eq!(word([&violated, &proved]), "UNKNOWN");
    }
}
