//! What the facts say about buffers: all together first, then each.

use crate::answer::{Answer, Bound, Counterexample, Figures, Question, Reading, Searched};
use crate::board::Board;
use crate::facts::{Facts, Graph};
use crate::options::CheckOptions;
use crate::{consistency, rules, words};
use certificate::Certificate;
use certificate::pump::ConfirmedPump;
use certificate::verdict::{Capacities as ProofCapacities, Evidence, StopReason, Unknown, Verdict};
use proofs::{BufferName, SuspiciousCycle};
use std::sync::Arc;
use system::automaton::System;
use system::capacities::CapacityReading;
use system::interpreter::{Capacities, Interpreter};

/// The answers.
pub fn answers(board: &Board, facts: &Facts) -> Vec<Answer> {
    if !board.asks_for_buffers() {
        return vec![no_buffers(&board.options)];
    }
    let capacities = rules::searched_capacities(board.options.proof_capacities);
    let graph = rules::graph(&board.system, facts, capacities);
    let buffers = board.buffers(facts);
    if facts.buffers.as_ref().is_some_and(Vec::is_empty) && facts.all_bounded.is_some() {
        return vec![no_buffers(&board.options)];
    }
    let view = View { board, facts, graph: graph.as_ref() };
    let whole = view.whole();
    let is_proved = matches!(whole.verdict, Verdict::Proved(_));
    let each = buffers.iter().map(|buffer| view.one(buffer, is_proved.then_some(&whole)));
    std::iter::once(whole.clone()).chain(each).collect()
}

/// What there is to see.
struct View<'v> {
    board: &'v Board,
    facts: &'v Facts,
    /// The graph with buffers as the proofs have them, if all of it is known.
    graph: Option<&'v Graph>,
}

impl View<'_> {
    /// Is every buffer bounded?
    fn whole(&self) -> Answer {
        let options = &self.board.options;
        let mut answer = if let Some(certificate) = &self.facts.all_bounded {
            let meaning = match options.proof_capacities {
                ProofCapacities::Any => "every buffer is bounded, whatever its capacity",
                ProofCapacities::Declared => "every buffer is bounded",
            };
            self.certified(Question::Buffers, certificate, meaning)
        } else if let Some(pump) = self.first_pump() {
            let names = growing(&self.board.system, pump);
            let repeated = words::repeated(pump.repeat_from, pump.trace.steps.len() - pump.repeat_from);
            let meaning = format!("{names} may grow for ever: {repeated}{}", more_processes(pump));
            self.grows(Question::Buffers, pump, meaning)
        } else if let Some(graph) = self.graph {
            let states = words::all_states(graph.figures.states);
            let meaning = match options.proof_capacities {
                ProofCapacities::Any => {
                    format!("every buffer is bounded: {states}, without a limit to any buffer")
                }
                ProofCapacities::Declared => format!("every buffer is bounded: {states}"),
            };
            self.searched(Question::Buffers, graph, meaning)
        } else if let Some(certificate) = &self.facts.livelock_free
            && rules::all_runs_end(self.facts, !self.board.is_marked())
        {
            self.certified(Question::Buffers, certificate, "every buffer is bounded, because every run ends")
        } else {
            self.unknown()
        };
        if rules::boundedness_contradicts(self.facts, self.graph) {
            let what = "a buffer grows for ever, and there is a proof that none does";
            consistency::withdraw(&mut answer, what);
        }
        // What was tried before a run was found says nothing about that run.
        if let Some(stopped) = &self.facts.bounds_stopped
            && !stopped.refinements.is_empty()
            && answer.certificate().is_some()
        {
            answer.details.push(format!("refined: {}", stopped.refinements.join("; ")));
        }
        answer
    }

    /// How full does one buffer get?
    fn one(&self, buffer: &BufferName, proved: Option<&Answer>) -> Answer {
        let question = Question::Buffer(buffer.name.clone());
        let exact = self.graph.and_then(|graph| Some((graph, peak(graph, buffer.channel?))));
        let certified = self.facts.certified_bound(buffer);
        if let Some((bound, _)) = certified {
            // A proof for every capacity speaks of every run, one for the declared ones of those in the graph.
            let seen = match self.board.options.proof_capacities {
                ProofCapacities::Any => self.facts.most_seen(buffer),
                ProofCapacities::Declared => exact.map(|(_, peak)| peak),
            };
            if rules::bound_contradicts(bound.at_most, seen, self.facts.pump_of(buffer).is_some()) {
                let mut answer = Answer::unknown(question, self.reading(), StopReason::NotNeeded, "");
                let what = format!("it is proved to hold at most {}, and holds more", bound.at_most);
                consistency::withdraw(&mut answer, &what);
                return answer;
            }
        }
        match (certified, exact) {
            (Some((bound, certificate)), exact) if exact.is_none_or(|(_, peak)| peak == bound.at_most) => {
                let tight = bound.tight || exact.is_some();
                let bound = Bound { tight, ..bound };
                Answer { bound: Some(bound), ..self.certified(question, certificate, &never_more(bound)) }
            }
            (certified, Some((graph, peak))) => {
                let bound = Bound { at_most: peak, tight: true };
                let mut answer =
                    Answer { bound: Some(bound), ..self.searched(question, graph, never_more(bound)) };
                if let Some((bound, _)) = certified {
                    answer.notes.push(format!("for every capacity: at most {}", bound.at_most));
                }
                answer
            }
            (_, None) => {
                if let Some(pump) = self.facts.pump_of(buffer) {
                    return self.grows(question, pump, "may grow for ever".to_string());
                }
                if let Some(whole) = proved {
                    let meaning = "bounded, but no number is known".to_string();
                    let (notes, details) = (Vec::new(), Vec::new());
                    return Answer { question, meaning, notes, details, ..whole.clone() };
                }
                let seen = self.facts.most_seen(buffer).unwrap_or(0);
                let seen = format!("held up to {seen} in what was searched");
                Answer::unknown(question, self.reading(), self.board.timed.reason(), seen)
            }
        }
    }

    fn reading(&self) -> Reading {
        Reading::of(self.board.options.proof_capacities.into())
    }

    /// One that does not need more processes each time is real in SPIN too.
    fn first_pump(&self) -> Option<&ConfirmedPump> {
        self.facts.pumps.iter().min_by_key(|pump| (pump.more_processes > 0, pump.trace.steps.len()))
    }

    fn certified(&self, question: Question, certificate: &Arc<Certificate>, meaning: &str) -> Answer {
        let evidence = Evidence::Certificate(Arc::clone(certificate));
        Answer::new(question, Verdict::Proved(evidence), self.reading(), meaning)
    }

    fn searched(&self, question: Question, graph: &Graph, meaning: String) -> Answer {
        let Figures { states, transitions, .. } = graph.figures;
        let verdict = Verdict::Proved(Evidence::Search { states, transitions });
        let reading = Reading::of(self.board.reach(graph.capacities));
        let mut answer = Answer::new(question, verdict, reading, meaning);
        answer.figures = Some(graph.figures);
        answer.searched = Some(Searched::Complete(graph.digest));
        answer
    }

    fn grows(&self, question: Question, pump: &ConfirmedPump, meaning: String) -> Answer {
        let reading = Reading::of(CapacityReading::Unbounded);
        Answer::new(question, Verdict::Violated(counterexample(pump)), reading, meaning)
    }

    fn unknown(&self) -> Answer {
        let (reason, findings, suspicious) = why(self.board, self.facts, &Question::Buffers);
        let meaning = match suspicious {
            _ if self.facts.failed.contains(&Question::Buffers) => words::FAILED.to_string(),
            0 => "neither a proof nor a run that fills a buffer for ever was found".to_string(),
            count => format!("no proof excludes {}", words::counted(count, "suspicious cycle")),
        };
        let verdict = Verdict::Unknown(Unknown { reason, findings });
        let mut answer = Answer::new(Question::Buffers, verdict, self.reading(), meaning);
        answer.figures = self.facts.searched;
        answer
    }
}

/// Why nothing was found, what is worth knowing, and how many cycles look suspicious.
pub fn why(board: &Board, facts: &Facts, question: &Question) -> (StopReason, Vec<String>, usize) {
    if facts.failed.contains(question) {
        return (words::a_defect(), Vec::new(), 0);
    }
    let stopped = match question {
        Question::Progress => &facts.progress_stopped,
        _ => &facts.bounds_stopped,
    };
    let Some(stopped) = stopped else { return (board.timed.reason(), Vec::new(), 0) };
    let reason = match &stopped.reason {
        StopReason::Cancelled | StopReason::NotNeeded => board.timed.reason(),
        other => other.clone(),
    };
    let mut findings: Vec<String> = stopped.suspicious.iter().map(suspicious).collect();
    findings.extend(stopped.findings.iter().cloned());
    (reason, findings, stopped.suspicious.len())
}

fn never_more(Bound { at_most, tight }: Bound) -> String {
    match (at_most, tight) {
        (0, _) => "never holds anything".to_string(),
        (_, true) => format!("never holds more than {at_most}, and sometimes as many"),
        (_, false) => format!("never holds more than {at_most}"),
    }
}

/// The most messages that a channel holds in a graph.
fn peak(graph: &Graph, channel: u32) -> u64 {
    let found = graph.peaks.iter().find(|peak| peak.channel.0 == channel);
    found.map_or(0, |peak| u64::from(peak.peak))
}

fn no_buffers(options: &CheckOptions) -> Answer {
    let meaning = "the model has no buffers";
    let verdict = Verdict::Proved(Evidence::Nothing(meaning.to_string()));
    Answer::new(Question::Buffers, verdict, Reading::of(options.proof_capacities.into()), meaning)
}

/// `server 2 times: ts[0]?req (line 12), tc[0]!ack (line 13)`
pub fn suspicious(cycle: &SuspiciousCycle) -> String {
    let statements: Vec<String> =
        cycle.statements.iter().map(|(text, line)| format!("`{text}` (line {line})")).collect();
    let times = if cycle.times == 1 { "once".to_string() } else { format!("{} times", cycle.times) };
    format!("{} {times}: {}", cycle.process, statements.join(", "))
}

/// A run in which buffers grow, as it is shown.
pub fn counterexample(pump: &ConfirmedPump) -> Counterexample {
    Counterexample::Pump {
        trace: pump.trace.clone(),
        repeat_from: pump.repeat_from,
        grows: pump.grows.iter().map(|channel| channel.0).collect(),
        more_processes: pump.more_processes,
    }
}

/// What has to be said where each repetition leaves processes behind.
fn more_processes(pump: &ConfirmedPump) -> &'static str {
    match pump.more_processes {
        0 => "",
        _ => MORE_PROCESSES,
    }
}

/// What has to be said where each repetition leaves processes behind.
pub const MORE_PROCESSES: &str =
    ", with more processes each time: so it is where their number has no limit (SPIN's is 255)";

fn growing(system: &System, pump: &ConfirmedPump) -> String {
    let names = channel_names(system);
    let name = |channel: &system::state::ChannelId| {
        names.get(channel.0 as usize).cloned().flatten().unwrap_or_else(|| "a buffer".to_string())
    };
    pump.grows.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The buffers among the global channels: what is known of them without any prover.
pub fn declared(system: &System) -> Vec<BufferName> {
    let Ok(state) = Interpreter::new(system, Capacities::Unbounded).initial_state() else {
        return Vec::new();
    };
    let is_buffer = |channel: usize| {
        let channel_type = state.channels[channel].channel_type;
        system.model.channel_types[channel_type.0 as usize].capacity > 0
    };
    let named = channel_names(system).into_iter().enumerate();
    named
        .filter(|(channel, _)| is_buffer(*channel))
        .filter_map(|(channel, name)| Some(BufferName { name: name?, channel: Some(channel as u32) }))
        .collect()
}

/// The names of the channels that exist from the beginning, by number.
pub fn channel_names(system: &System) -> Vec<Option<String>> {
    let Ok(state) = Interpreter::new(system, Capacities::Unbounded).initial_state() else {
        return Vec::new();
    };
    let mut names = vec![None; state.channels.len()];
    for (slot, &value) in system.global_slots.iter().zip(&state.globals) {
        if slot.scalar == promela::model::Scalar::Chan
            && let Some(name) = usize::try_from(value - 1).ok().and_then(|index| names.get_mut(index))
        {
            name.get_or_insert_with(|| slot.name.clone());
        }
    }
    names
}
