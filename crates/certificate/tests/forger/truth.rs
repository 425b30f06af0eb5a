//! What is true of a small model: plain exploration with buffers of several sizes.

use super::Random;
use super::temporal::Product;
use certificate::Certificate;
use certificate::claims::{ObjectId, ObjectPlace};
use certificate::monitor::Monitor;
use certificate::potential::{Progress, Proof};
use certificate::verdict::{Capacities as Reading, Fairness};
use promela::model::{ExprKind, Scalar};
use std::collections::HashMap;
use system::automaton::{Action, Automaton, System};
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::State;

/// So many states of each reading are looked at.
const MOST_STATES: usize = 600;
/// Sizes of buffers that tell whether a buffer grows with its room.
const SIZES: [u32; 5] = [1, 2, 3, 5, 8];

/// What exploration shows of one model.
pub struct Truth {
    /// The model's fingerprint.
    pub fingerprint: String,
    /// By reading.
    pub explored: Vec<Explored>,
    /// Channels of global slots that were seen full with every size.
    pub growing: Vec<u32>,
}

/// What was seen in one reading.
pub struct Explored {
    /// How large buffers are.
    pub capacities: Capacities,
    /// The states.
    pub states: Vec<State>,
    /// For each state its steps and where they lead; beyond the last state if that was not looked at.
    pub edges: Vec<Vec<(Step, usize)>>,
    /// The most messages in the channel of each global slot.
    pub peaks: HashMap<u32, u64>,
}

impl Truth {
    /// Explores; `None` if there is no initial state.
    pub fn new(system: &System) -> Option<Truth> {
        let sizes = SIZES.into_iter().chain([more_than_each_sends(system)]).map(Capacities::Fixed);
        let readings = [Capacities::Unbounded, Capacities::Declared].into_iter().chain(sizes);
        let explored: Vec<Explored> = readings
            .map(|capacities| Explored::new(system, capacities, MOST_STATES))
            .collect::<Option<_>>()?;
        let full = |slot: &u32| {
            let fixed = explored.iter().filter_map(|seen| match seen.capacities {
                Capacities::Fixed(size) => Some((size, seen.peaks.get(slot).copied())),
                _ => None,
            });
            { fixed }.all(|(size, peak)| peak == Some(u64::from(size)))
        };
        // Where all states were seen without limits nothing grows, however much there is.
        let is_finite = explored[0].states.len() == explored[0].edges.len();
        let growing = explored[0].peaks.keys().copied().filter(|slot| !is_finite && full(slot)).collect();
        Some(Truth { fingerprint: system.fingerprint().to_string(), explored, growing })
    }

    /// Why the certificate, which was accepted, is false.
    pub fn contradiction(
        &self,
        system: &System,
        certificate: &Certificate,
        random: &mut Random,
    ) -> Option<String> {
        let readings = || {
            let any = certificate.capacities == Reading::Any;
            self.explored.iter().filter(move |seen| any || seen.capacities == Capacities::Declared)
        };
        for proof in &certificate.proofs {
            for seen in readings() {
                let what = match proof {
                    Proof::Bound { object, at_most, .. } | Proof::Guarded { object, at_most, .. } => {
                        exceeded(certificate, seen, *object, *at_most)
                    }
                    Proof::Bounds { buffers, .. } => {
                        buffers.iter().find_map(|b| exceeded(certificate, seen, b.object, b.at_most))
                    }
                    Proof::LivelockFree { progress, .. } => (seen.has_loop_without(system, progress)
                        || seen.floods_without(system, progress))
                    .then(|| format!("a loop without progress ({:?})", seen.capacities)),
                    Proof::AllBounded { .. } => (certificate.capacities == Reading::Any
                        && !self.growing.is_empty())
                    .then(|| "a buffer fills whatever room it has".to_string()),
                    Proof::FairProgress { progress, fairness, .. } => {
                        let is_progress =
                            |state: &State, step: &Step| is_progress(system, progress, state, step);
                        let product = Product::without_progress(system, seen, is_progress);
                        let unfair =
                            || format!("a {fairness:?}ly fair loop without progress ({:?})", seen.capacities);
                        product.accepts(*fairness).then(unfair)
                    }
                    Proof::Formula { formula, fairness, .. } => {
                        let formula = system.model.formulas.iter().find(|known| known.name == *formula);
                        let product = formula.and_then(|formula| Product::new(system, seen, formula));
                        let what =
                            || format!("a run violates a formula ({fairness:?}, {:?})", seen.capacities);
                        product.is_some_and(|product| product.accepts(*fairness)).then(what)
                    }
                    Proof::Starts { .. } => None,
                };
                if what.is_some() {
                    return what;
                }
            }
        }
        if let Some(what) = readings().find_map(|seen| out_of_range(certificate, seen)) {
            return Some(what);
        }
        readings().find_map(|seen| self.broken_on_a_walk(system, certificate, seen, random))
    }

    /// A claim, bound or number of starts that a random run breaks.
    fn broken_on_a_walk(
        &self,
        system: &System,
        certificate: &Certificate,
        seen: &Explored,
        random: &mut Random,
    ) -> Option<String> {
        for _ in 0..2 {
            let mut monitor = Monitor::new(system, certificate);
            let mut at = 0;
            for _ in 0..24 {
                if let Err(broken) = monitor.observe(&seen.states[at]) {
                    return Some(format!("{} ({:?})", broken.what, seen.capacities));
                }
                match seen.edges.get(at).and_then(|edges| random.pick(edges)) {
                    Some((_, to)) if *to < seen.edges.len() => at = *to,
                    _ => break,
                }
            }
        }
        None
    }
}

/// More room than is filled by processes that each send a few times: many of them fill any of [`SIZES`], and nothing grows.
fn more_than_each_sends(system: &System) -> u32 {
    let sends = |automaton: &Automaton| {
        automaton.edges.iter().filter(|edge| matches!(edge.action, Action::Send { .. })).count() as u32
    };
    let processes = system.model.proctypes.iter().zip(&system.automata);
    8 + 4 * processes.map(|(proctype, automaton)| proctype.active.max(1) * sends(automaton)).sum::<u32>()
}

fn exceeded(certificate: &Certificate, seen: &Explored, object: ObjectId, at_most: u64) -> Option<String> {
    let ObjectPlace::Global { slot } = certificate.claims.objects[object.index()].place else { return None };
    let peak = seen.peaks.get(&slot).copied().unwrap_or(0);
    (peak > at_most).then(|| format!("slot {slot} holds {peak}, not {at_most} ({:?})", seen.capacities))
}

/// Whether the potential at the root of a proof weighs a number.
fn weighs_numbers(proof: &Proof) -> bool {
    match proof {
        Proof::Bound { cases, .. } => cases.iter().any(|case| !case.potential.numbers.is_empty()),
        Proof::Bounds { potential, .. } | Proof::Starts { potential, .. } => !potential.numbers.is_empty(),
        Proof::AllBounded { stage } | Proof::LivelockFree { stage, .. } => {
            !stage.potential.numbers.is_empty()
        }
        _ => false,
    }
}

/// A number of global variables that is somewhere else in some state.
fn out_of_range(certificate: &Certificate, seen: &Explored) -> Option<String> {
    for number in &certificate.claims.numbers {
        for state in &seen.states {
            let value = number.terms.iter().try_fold(0i32, |sum, term| {
                let ObjectPlace::Global { slot } = term.place else { return None };
                let value = state.globals[slot as usize];
                Some(if term.subtracted { sum.wrapping_sub(value) } else { sum.wrapping_add(value) })
            });
            if value.is_some_and(|value| value < number.range.low || value > number.range.high) {
                return Some(format!("a number is {value:?}, not in {:?}", number.range));
            }
        }
    }
    None
}

/// What a certificate says.
pub fn kinds(certificate: &Certificate) -> Vec<&'static str> {
    let mut kinds: Vec<&'static str> = certificate
        .proofs
        .iter()
        .map(|proof| match proof {
            Proof::Bound { cases, .. } if cases.iter().any(|case| case.after.is_some()) => "bound after",
            Proof::Bound { .. } => "bound",
            Proof::Guarded { .. } => "guarded",
            Proof::Bounds { .. } => "bounds",
            Proof::Starts { .. } => "starts",
            Proof::AllBounded { .. } => "all bounded",
            Proof::LivelockFree { .. } => "livelock free",
            Proof::FairProgress { .. } => "fair progress",
            Proof::Formula { fairness: Fairness::None, .. } => "formula",
            Proof::Formula { .. } => "formula of fair runs",
        })
        .collect();
    let claims = &certificate.claims;
    if claims.groups.iter().any(|group| !group.shadows.is_empty()) {
        kinds.push("with a shadow");
    }
    if !claims.trackers.is_empty() {
        kinds.push("with a tracker");
    }
    if !claims.invariants.is_empty() {
        kinds.push("with an invariant");
    }
    if !claims.numbers.is_empty() {
        kinds.push("with a number");
    }
    if claims.numbers.iter().any(|number| !number.known.is_empty()) {
        kinds.push("with a number that is known in nodes");
    }
    if certificate.proofs.iter().any(weighs_numbers) {
        kinds.push("with a number that weighs something");
    }
    if !certificate.any_number.is_empty() {
        kinds.push("of any number of processes");
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

impl Explored {
    /// Explores so many states; `None` if there is no initial one.
    pub fn new(system: &System, capacities: Capacities, most: usize) -> Option<Explored> {
        let interpreter = Interpreter::new(system, capacities);
        let initial = interpreter.initial_state().ok()?;
        let channels: Vec<(u32, usize)> = (0..)
            .zip(system.global_slots.iter().zip(&initial.globals))
            .filter(|(_, (slot, value))| slot.scalar == Scalar::Chan && **value > 0)
            .map(|(slot, (_, value))| (slot, *value as usize - 1))
            .collect();
        let mut seen =
            Explored { capacities, states: vec![initial.clone()], edges: Vec::new(), peaks: HashMap::new() };
        let mut index = HashMap::from([(initial, 0)]);
        let mut steps = Vec::new();
        while seen.edges.len() < seen.states.len() && seen.edges.len() < most {
            let state = seen.states[seen.edges.len()].clone();
            for &(slot, channel) in &channels {
                let held = messages(system, &state, channel);
                let peak = seen.peaks.entry(slot).or_default();
                *peak = held.max(*peak);
            }
            let mut out = Vec::new();
            steps.clear();
            // A process that fails does not keep the others from moving.
            let _ = interpreter.steps(&state, &mut steps);
            for &step in &steps {
                let mut next = state.clone();
                if interpreter.execute(&mut next, step, &(), &mut ()).is_err() {
                    continue;
                }
                let new = seen.states.len();
                let to = *index.entry(next.clone()).or_insert(new);
                if to == new {
                    seen.states.push(next);
                }
                out.push((step, to));
            }
            seen.edges.push(out);
        }
        Some(seen)
    }

    /// Whether some loop among the states executes none of the statements.
    fn has_loop_without(&self, system: &System, progress: &Progress) -> bool {
        let edges = (0..).zip(&self.edges).map(|(at, edges): (usize, _)| {
            let ways = edges.iter().filter(|(step, to)| {
                *to < self.edges.len() && !is_progress(system, progress, &self.states[at], step)
            });
            ways.map(|(_, to)| *to).collect()
        });
        is_cyclic(&edges.collect::<Vec<_>>())
    }

    /// Whether some loop executes none of the statements and fills buffers that have no limit: it only sends, and computes without
    /// a look at a channel, so that all that matters is the same when variables and locations are.
    fn floods_without(&self, system: &System, progress: &Progress) -> bool {
        let has_escapes = |automaton: &Automaton| automaton.edges.iter().any(|edge| edge.escape != 0);
        let looks = system.process_automata().any(|(_, automaton)| has_escapes(automaton))
            || system.model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        if self.capacities != Capacities::Unbounded || looks {
            return false;
        }
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut edges: Vec<Vec<usize>> = Vec::new();
        let mut number = |state: &State, edges: &mut Vec<Vec<usize>>| {
            let mut bare = state.clone();
            bare.channels.iter_mut().for_each(|channel| channel.contents.clear());
            let new = numbers.len();
            let found = *numbers.entry(bare).or_insert(new);
            edges.resize(edges.len().max(found + 1), Vec::new());
            found
        };
        for (state, steps) in self.states.iter().zip(&self.edges) {
            for (step, to) in steps {
                let automaton = system.automaton(state.processes[step.process.0 as usize].automaton);
                let is_blind = step.partner.is_none() && is_blind(&automaton.edge(step.edge).action);
                if is_blind && !is_progress(system, progress, state, step) {
                    let from = number(state, &mut edges);
                    let to = number(&self.states[*to], &mut edges);
                    edges[from].push(to);
                }
            }
        }
        is_cyclic(&edges)
    }
}

/// Whether a statement is executable whatever channels hold.
fn is_blind(action: &Action) -> bool {
    let mut blind =
        matches!(action, Action::Skip | Action::Condition(_) | Action::Assign { .. } | Action::Send { .. });
    action.visit_expressions(&mut |expr| {
        expr.visit(&mut |part| {
            blind &= matches!(
                part.kind,
                ExprKind::Constant { .. }
                    | ExprKind::Read(_)
                    | ExprKind::Pid
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
            );
        });
    });
    blind
}

fn is_progress(system: &System, progress: &Progress, state: &State, step: &Step) -> bool {
    let partner = step.partner.map(|partner| (partner.process, partner.edge));
    [Some((step.process, step.edge)), partner].into_iter().flatten().any(|(pid, edge)| {
        let automaton = state.processes[pid.0 as usize].automaton;
        match progress {
            // What a `d_step` executes inside is not looked at: it may be progress.
            Progress::Labels => {
                let edge = system.automaton(automaton).edge(edge);
                let inside = match &edge.action {
                    Action::DStep(body) => {
                        body.nodes.iter().flat_map(|node| &node.choices).any(|choice| choice.progress)
                    }
                    _ => false,
                };
                edge.progress || inside
            }
            Progress::At(statements) => {
                statements.iter().any(|s| (s.automaton, s.edge) == (automaton.0, edge.0))
            }
        }
    })
}

fn is_cyclic(edges: &[Vec<usize>]) -> bool {
    let mut colour = vec![0u8; edges.len()];
    for root in 0..edges.len() {
        let mut path = vec![(root, 0)];
        if colour[root] != 0 {
            continue;
        }
        colour[root] = 1;
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            let Some(&to) = edges[at].get(*next) else {
                colour[at] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            match colour[to] {
                0 => {
                    colour[to] = 1;
                    path.push((to, 0));
                }
                1 => return true,
                _ => {}
            }
        }
    }
    false
}

/// How many messages a channel holds.
pub fn messages(system: &System, state: &State, channel: usize) -> u64 {
    let channel = &state.channels[channel];
    let fields = system.model.channel_types[channel.channel_type.0 as usize].fields.len();
    (channel.contents.len() / fields.max(1)) as u64
}
