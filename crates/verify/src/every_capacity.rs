//! A formula, or progress of fair runs, for every capacity, by search: exact, wherever the model has finitely many states although its buffers have no limits.
//!
//! A capacity matters only in states where a buffer is full: for a send that would wait, and for whoever asks. So a complete graph in which a
//! buffer never holds more than `m` messages is the graph for every larger capacity of it too, and only the capacities `1..=m` are left to look
//! at. One after the other they are given to the buffer, which may change what the others hold, so that for each there is another graph
//! and there are other numbers left to look at. Where this ends, everything was looked at: given capacities that nobody looked at, take
//! the first graph on the way down that they do not fit; some buffer has a smaller capacity than its place in the graph asks for, and
//! that very number was given to it next.
//!
//! Nothing is assumed about who notices that a send waits. Runs that end because buffers are full, and fairness, which does not oblige
//! those who wait for room, are those of the model with these capacities.

use crate::answer::{Answer, Counterexample, Figures};
use crate::options::CheckOptions;
use crate::supervisor::Timed;
use crate::temporal::{self, Asked, Subject};
use crate::words;
use certificate::verdict::{Evidence, StopReason, Verdict};
use promela::model::{ExprKind, Ltl};
use search::{Engine, ErrorPolicy, Limits, Outcome, Properties, Reduction, SearchOptions};
use std::collections::BTreeSet;
use system::automaton::System;
use system::capacities::{Capacities, CapacityReading};
use system::interpreter::Interpreter;

/// Capacities that are tried first, because a run with one of them is easy to read.
const PLAIN: [Capacities; 7] = [
    Capacities::Fixed(1),
    Capacities::Fixed(2),
    Capacities::Unbounded,
    Capacities::Declared,
    Capacities::Fixed(3),
    Capacities::Fixed(8),
    Capacities::Fixed(32),
];
/// States that are searched with each of these.
const AT_FIRST: u64 = 20_000;
/// The same without limits to buffers, where states may grow for ever.
const WITHOUT_LIMITS: u64 = 2_000;
/// Graphs that are looked at.
const MOST_GRAPHS: usize = 2_000;
/// A buffer that holds as many messages as this has too many capacities that matter, or grows for ever.
const ROOMY: u32 = 64;

/// Do all runs that count do what is asked, whatever the capacities?
pub fn answer(asked: &Asked<'_>) -> Answer {
    if !asked.options.processes.is_empty() {
        let what = "other numbers of processes for every capacity".to_string();
        let reading = asked.reading(CapacityReading::Any);
        return Answer::unknown(
            asked.question(),
            reading,
            StopReason::Unsupported { what },
            "not looked for",
        );
    }
    for capacities in PLAIN {
        let few = if capacities == Capacities::Unbounded { WITHOUT_LIMITS } else { AT_FIRST };
        let states = asked.options.search.states.map_or(few, |most| most.min(few));
        let report = asked.search(capacities, Some(states));
        if matches!(report.verdict, Verdict::Violated(_)) {
            return asked.answer(report, capacities);
        }
    }
    let buffers = buffers(asked.system);
    let looks = match asked.subject {
        Subject::Formula(formula, _) => asks_for_room(&formula.formula),
        Subject::Progress => false,
    } || system::blocking::is_fullness_noticed(asked.system);
    let mut walk = Walk {
        asked,
        buffers,
        looks,
        figures: Figures { states: 0, transitions: 0, sliced: false },
        graphs: 0,
    };
    match walk.everything() {
        Err(answer) => *answer,
        Ok(()) => {
            let Figures { states, transitions, .. } = walk.figures;
            let evidence = Evidence::Search { states, transitions };
            let runs = temporal::runs(asked.options);
            let of = match walk.graphs {
                1 => "no send ever waits".to_string(),
                graphs => {
                    format!("in {} graphs, one for each choice of capacities", words::grouped(graphs as u64))
                }
            };
            let does = match asked.subject {
                Subject::Formula(..) => "satisfies it",
                Subject::Progress => "that goes on for ever makes progress again and again",
            };
            let meaning = format!(
                "{runs} {does}, whatever the capacities: all {} states searched, {of}",
                words::grouped(states)
            );
            let reading = asked.reading(CapacityReading::Any);
            let mut answer = Answer::new(asked.question(), Verdict::Proved(evidence), reading, meaning);
            answer.figures = Some(walk.figures);
            answer
        }
    }
}

/// The declarations of buffers, by their position among all of channels.
fn buffers(system: &System) -> Vec<usize> {
    let types = system.model.channel_types.iter().enumerate();
    types.filter(|(_, channel)| channel.capacity > 0).map(|(index, _)| index).collect()
}

/// Whether a formula can tell a buffer that is just full from one that has more room.
fn asks_for_room(formula: &Ltl) -> bool {
    let mut asks = false;
    formula.visit_propositions(&mut |proposition| {
        proposition.visit(&mut |part| {
            asks |= matches!(part.kind, ExprKind::Full(_) | ExprKind::NotFull(_) | ExprKind::Enabled(_));
        });
    });
    asks
}

/// The capacities of some declarations; others have as much room as they need.
type Rooms = Vec<(usize, u32)>;

struct Walk<'w> {
    asked: &'w Asked<'w>,
    buffers: Vec<usize>,
    looks: bool,
    figures: Figures,
    graphs: usize,
}

impl Walk<'_> {
    /// Looks at all graphs; ends with the first answer that is no proof.
    fn everything(&mut self) -> Result<(), Box<Answer>> {
        let mut seen: BTreeSet<Rooms> = BTreeSet::from([Rooms::new()]);
        let mut open = vec![Rooms::new()];
        while let Some(rooms) = open.pop() {
            if (self.asked.is_decided)() {
                return Err(self.unknown(StopReason::Cancelled));
            }
            let held = self.look_at(&rooms)?;
            for &buffer in &self.buffers {
                if rooms.iter().any(|&(given, _)| given == buffer) {
                    continue;
                }
                // With room for exactly as many messages as there ever are no send waits.
                let tight = if self.looks { held[buffer] } else { held[buffer].saturating_sub(1) };
                for room in 1..=tight {
                    let mut more = rooms.clone();
                    more.push((buffer, room));
                    more.sort_unstable();
                    if seen.len() >= MOST_GRAPHS {
                        return Err(self.unknown(too_many(&held)));
                    }
                    if seen.insert(more.clone()) {
                        open.push(more);
                    }
                }
            }
        }
        self.graphs = seen.len();
        Ok(())
    }

    /// Searches one graph, and asks about its runs; the most that is held by the channels of each declaration.
    fn look_at(&mut self, rooms: &Rooms) -> Result<Vec<u32>, Box<Answer>> {
        let asked = self.asked;
        let with = |elsewhere: &dyn Fn(usize) -> u32| -> Vec<u32> {
            let room =
                |buffer: usize| rooms.iter().find(|&&(given, _)| given == buffer).map(|&(_, room)| room);
            let types = asked.system.model.channel_types.len();
            (0..types).map(|index| room(index).unwrap_or_else(|| elsewhere(index))).collect()
        };
        let roomy = asked.system.clone().with_capacities(&with(&|_| ROOMY));
        let held = most_held(&roomy, asked.options, asked.control).map_err(|reason| self.unknown(reason))?;
        let enough = with(&|buffer| held[buffer].saturating_add(1));
        let system = asked.system.clone().with_capacities(&enough);
        let report = asked.search_in(&system, Capacities::Declared, asked.options.search.states);
        self.figures.states += report.states;
        self.figures.transitions += report.transitions;
        match report.verdict {
            Verdict::Proved(_) => Ok(held),
            Verdict::Violated(_) => {
                let mut answer = asked.answer(report, Capacities::Declared);
                if let Verdict::Violated(found) = answer.verdict {
                    let formula = match &asked.subject {
                        Subject::Formula(_, left) => left.clone(),
                        Subject::Progress => None,
                    };
                    let (trace, processes, rooms) = (found.trace().clone(), Vec::new(), enough);
                    answer.verdict =
                        Verdict::Violated(Counterexample::Instance { trace, processes, formula, rooms });
                }
                answer.reading = asked.reading(CapacityReading::Any);
                answer.notes.insert(0, format!("with {}", capacities_in_words(&system, &self.buffers)));
                Err(Box::new(answer))
            }
            Verdict::Unknown(unknown) => Err(self.unknown(unknown.reason)),
        }
    }

    fn unknown(&self, reason: StopReason) -> Box<Answer> {
        let asked = self.asked;
        let reading = asked.reading(CapacityReading::Any);
        let reason = match reason {
            StopReason::TimeLimit { .. } => {
                StopReason::TimeLimit { seconds: asked.options.time.map_or(0, |time| time.as_secs()) }
            }
            other => other,
        };
        let meaning = words::nothing_wrong(self.figures.states);
        let mut answer = Answer::unknown(asked.question(), reading, reason, meaning);
        answer.figures = Some(self.figures);
        Box::new(answer)
    }
}

fn too_many(held: &[u32]) -> StopReason {
    let most = held.iter().max().copied().unwrap_or(0);
    let what = match most >= ROOMY {
        true => format!("a buffer that may hold {ROOMY} messages or more"),
        false => {
            format!("more than {MOST_GRAPHS} choices of capacities, with up to {most} messages in a buffer")
        }
    };
    StopReason::Unsupported { what }
}

/// The most messages in a channel of each declaration, over all states.
fn most_held(system: &System, options: &CheckOptions, control: &Timed) -> Result<Vec<u32>, StopReason> {
    let deadline = control.deadline();
    if control.is_over() {
        return Err(StopReason::TimeLimit { seconds: 0 });
    }
    let search_options = SearchOptions {
        capacities: Capacities::Declared,
        reduction: Reduction::Full,
        properties: Properties::none(),
        errors: ErrorPolicy::All,
        limits: Limits { states: options.search.states, memory: options.memory, deadline },
        threads: 1,
        engine: Engine::Fast,
        ..SearchOptions::full()
    };
    let no_first_state = |error: system::interpreter::RuntimeError| StopReason::Unsupported {
        what: format!("the model has no initial state: {}", error.kind),
    };
    let initial = Interpreter::new(system, Capacities::Declared).initial_state().map_err(no_first_state)?;
    let cancelled = || control.supervisor.is_cancelled();
    let search_control = search::Control::none().cancelled_by(&cancelled);
    let report = search::explore(system, &search_options, &search_control).map_err(no_first_state)?;
    match report.outcome {
        Outcome::Complete if report.meets_limit() => {
            Err(StopReason::Unsupported { what: "more processes or channels than there may be".to_string() })
        }
        Outcome::Complete => {
            let types = &system.model.channel_types;
            let mut held = vec![0; types.len()];
            // The number of a channel that is gone may be given to one of another declaration.
            let is_known = initial.channels.len() >= report.channels.len();
            for peak in &report.channels {
                for (index, held) in held.iter_mut().enumerate() {
                    if !is_known || peak.channel_type.0 as usize == index {
                        *held = peak.peak.max(*held);
                    }
                }
            }
            match held.iter().any(|&held| held >= ROOMY) {
                true => Err(too_many(&held)),
                false => Ok(held),
            }
        }
        Outcome::Stopped(reason) => Err(crate::safety::stop_reason(reason, options)),
    }
}

/// `[1] in line 3, [2] in line 4`
fn capacities_in_words(system: &System, buffers: &[usize]) -> String {
    let text = |&buffer: &usize| {
        let channel = &system.model.channel_types[buffer];
        format!("[{}] in {}", channel.capacity, words::line(system, channel.span))
    };
    buffers.iter().map(text).collect::<Vec<String>>().join(", ")
}
