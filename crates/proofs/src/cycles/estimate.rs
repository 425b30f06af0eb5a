//! How full a buffer gets at the most: what acyclic ways put, plus cycles, by a linear program (Ciclo IV-D, (14) to (16); IBOC section 2).
//!
//! Every run of a process is a way without a loop and whole rounds of cycles. The ways are taken together: the most that one of them
//! puts of each message type, added up over the processes. The program then takes cycles as often as it likes, as long as no
//! number of messages is negative.

use std::collections::BTreeMap;

use linear::{Bounds, Limits, Outcome, Problem, Relation, Sense, VariableId, solve};

use super::{Catalogue, Completeness, Counts, MessageType, MessageTypeId, Process};

/// Steps over all ways of one process.
const MOST_STEPS: usize = 500_000;

/// How full one buffer gets at the most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// Its name.
    pub buffer: String,
    /// The estimate; `None`: the program has no largest value.
    pub at_most: Option<u64>,
}

/// Why there are no estimates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoEstimate {
    /// Not all cycles are known.
    Incomplete,
    /// The text of the model does not say which processes run.
    UnknownProcesses,
    /// A process has too many ways without a loop.
    TooManyWays,
}

impl std::fmt::Display for NoEstimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoEstimate::Incomplete => "not all cycles and effects are known",
            NoEstimate::UnknownProcesses => "the text does not say how many processes run",
            NoEstimate::TooManyWays => "a process has too many ways without a loop",
        })
    }
}

/// An estimate for every buffer.
pub fn estimates(catalogue: &Catalogue) -> Result<Vec<Estimate>, NoEstimate> {
    if catalogue.completeness != Completeness::All {
        return Err(NoEstimate::Incomplete);
    }
    let mut acyclic: BTreeMap<MessageTypeId, i64> = BTreeMap::new();
    for process in &catalogue.processes {
        let count = process.count.ok_or(NoEstimate::UnknownProcesses)?;
        let most = most_on_a_way(process).ok_or(NoEstimate::TooManyWays)?;
        for (message_type, n) in most {
            *acyclic.entry(message_type).or_default() += n * i64::try_from(count).unwrap_or(i64::MAX);
        }
    }
    let mut buffers: Vec<(String, Vec<MessageTypeId>)> = Vec::new();
    let buffered = |t: &MessageType| t.counts == Counts::Messages;
    for (index, message_type) in catalogue.message_types.iter().enumerate().filter(|(_, t)| buffered(t)) {
        let id = MessageTypeId(index as u32);
        match buffers.last_mut() {
            Some((name, types)) if *name == message_type.buffer() => types.push(id),
            _ => buffers.push((message_type.buffer().to_string(), vec![id])),
        }
    }
    let estimate = |(buffer, types): (String, Vec<MessageTypeId>)| {
        let at_most = most_messages(catalogue, &acyclic, &types);
        Estimate { buffer, at_most }
    };
    Ok(buffers.into_iter().map(estimate).collect())
}

/// The program of one buffer.
fn most_messages(
    catalogue: &Catalogue,
    acyclic: &BTreeMap<MessageTypeId, i64>,
    types: &[MessageTypeId],
) -> Option<u64> {
    let at_first = |id: &MessageTypeId| acyclic.get(id).copied().unwrap_or(0);
    let mut problem = Problem::new();
    let mut rows: BTreeMap<MessageTypeId, Vec<(VariableId, i64)>> = BTreeMap::new();
    for effect in catalogue.cycles.iter().flat_map(|cycle| &cycle.effects) {
        let variable = problem.add_variable(Bounds::non_negative());
        for &(id, n) in effect {
            rows.entry(id).or_default().push((variable, n));
        }
    }
    let mut objective: BTreeMap<VariableId, i64> = BTreeMap::new();
    for (id, terms) in &rows {
        if types.contains(id) {
            terms.iter().for_each(|(variable, n)| *objective.entry(*variable).or_default() += n);
        }
        // Both halves of a rendezvous are one step: what acyclic ways put of it is taken on ways and cycles.
        problem.add_constraint(terms.clone(), Relation::AtLeast, -at_first(id));
    }
    problem.set_objective(Sense::Maximise, objective.into_iter().collect::<Vec<_>>());
    let on_ways: i64 = types.iter().map(at_first).sum();
    match solve(&problem, &Limits::none()) {
        // Numbers of rounds are whole, so the number of messages is.
        Outcome::Optimal(optimum) => {
            let most = optimum.objective.floor().to_i64()?;
            u64::try_from(on_ways.checked_add(most)?).ok()
        }
        _ => None,
    }
}

/// A point on a way.
struct Frame {
    point: u32,
    /// Which of the statements that leave it comes next.
    next: usize,
    /// What the statement that led there put and took.
    effect: Vec<(MessageTypeId, i64)>,
}

/// The most that a way without a loop puts of each type: for each type the largest over all ways, at least nothing.
fn most_on_a_way(process: &Process) -> Option<BTreeMap<MessageTypeId, i64>> {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); process.points as usize];
    for (index, arc) in process.arcs.iter().enumerate() {
        leaving[arc.from as usize].push(index);
    }
    let mut most: BTreeMap<MessageTypeId, i64> = BTreeMap::new();
    let mut now: BTreeMap<MessageTypeId, i64> = BTreeMap::new();
    let mut steps = 0;
    for &start in &process.starts_at {
        let mut on_way = vec![false; process.points as usize];
        on_way[start as usize] = true;
        let mut frames = vec![Frame { point: start, next: 0, effect: Vec::new() }];
        while let Some(frame) = frames.last_mut() {
            let Some(&index) = leaving[frame.point as usize].get(frame.next) else {
                on_way[frame.point as usize] = false;
                frame.effect.iter().for_each(|(id, n)| *now.entry(*id).or_default() -= n);
                frames.pop();
                continue;
            };
            frame.next += 1;
            let arc = &process.arcs[index];
            if on_way[arc.to as usize] {
                continue;
            }
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            // A statement that may put one of several types is counted for each of them, and takes none for sure.
            let mut effect: Vec<(MessageTypeId, i64)> = arc.puts.iter().map(|&id| (id, 1)).collect();
            if let [taken] = arc.takes[..] {
                effect.push((taken, -1));
            }
            for (id, n) in &effect {
                let count = now.entry(*id).or_default();
                *count += n;
                let largest = most.entry(*id).or_default();
                *largest = (*largest).max(*count);
            }
            on_way[arc.to as usize] = true;
            frames.push(Frame { point: arc.to, next: 0, effect });
        }
    }
    Some(most)
}
