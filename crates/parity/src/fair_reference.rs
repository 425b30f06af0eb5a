//! Formulas under fairness decided in the slowest and most obvious way, to hold `search::fair` against.
//!
//! The graph is built from the step semantics state by state; the automaton of the negated formula is a plain Büchi automaton. Then
//! every set of processes is tried as the set of those who act again and again: only their steps are left, under strong
//! fairness only the states in which nobody else can move; and some strongly connected part of what is left must be
//! accepting and let exactly them act. Nothing is pruned and nothing is found on the fly.

use certificate::verdict::{StopReason, Verdict};
use omega::{Automaton, Fairness, Formula, Letter, PropositionId, StateId, TypedIndex};
use omega::{TranslationLimits, translate_to_buchi};
use promela::model::Ltl;
use search::Control;
use search::fair::{Counters, FairOptions, Property, check_formula};
use std::collections::HashMap;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::State;

/// Processes as bits.
type Processes = u32;

/// Everything that can be reached, an `atomic` sequence being one move.
struct Reached {
    letters: Vec<Letter>,
    enabled: Vec<Processes>,
    moves: Vec<Vec<(usize, Processes)>>,
}

/// The formula of a model to be decided; the graph is shared by all fairness conditions.
pub struct Reference {
    /// For each node of the product who is enabled.
    enabled: Vec<Processes>,
    /// For each node where it leads, who acts, and whether the move is accepting.
    moves: Vec<Vec<(usize, Processes, bool)>>,
    everybody: Processes,
    /// How many states the system has.
    pub states: usize,
}

impl Reference {
    /// The product of a system and the negation of a formula; nothing if it is too large or a run ends in an error.
    pub fn new(system: &System, formula: &Ltl, most_states: usize) -> Option<Reference> {
        let property = Property::new(formula);
        let reached = reach(system, &property, most_states)?;
        let negation = Formula::not(property.formula);
        let automaton = translate_to_buchi(&negation, TranslationLimits::default()).ok()?;
        Some(product(&reached, &automaton))
    }

    /// Whether some run, fair as asked, violates the formula.
    pub fn is_violated(&self, fairness: Fairness) -> bool {
        let groups: Vec<Processes> = match fairness {
            Fairness::None => vec![self.everybody],
            // All subsets.
            Fairness::Weak | Fairness::Strong => {
                (0..=self.everybody).filter(|&group| group & !self.everybody == 0).collect()
            }
        };
        groups.into_iter().any(|group| self.has_accepting_part(group, fairness))
    }

    /// Whether there is an accepting part in which exactly this group acts, fairly; without fairness whoever acts.
    fn has_accepting_part(&self, group: Processes, fairness: Fairness) -> bool {
        let is_left = |node: usize| fairness != Fairness::Strong || self.enabled[node] & !group == 0;
        let next = |node: usize| -> Vec<(usize, Processes, bool)> {
            let inside = |&(target, actors, _): &(usize, Processes, bool)| {
                is_left(node) && is_left(target) && actors & !group == 0
            };
            self.moves[node].iter().copied().filter(inside).collect()
        };
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.moves.len()];
        for node in 0..self.moves.len() {
            next(node).iter().for_each(|&(target, ..)| before[target].push(node));
        }
        let mut done = vec![false; self.moves.len()];
        for start in 0..self.moves.len() {
            if done[start] {
                continue;
            }
            let forward = closure(start, self.moves.len(), &|node| {
                next(node).iter().map(|&(target, ..)| target).collect()
            });
            let backward = closure(start, self.moves.len(), &|node| before[node].clone());
            let is_inside = |node: usize| forward[node] && backward[node];
            let part: Vec<usize> = (0..self.moves.len()).filter(|&node| is_inside(node)).collect();
            part.iter().for_each(|&node| done[node] = true);
            let inner: Vec<(usize, Processes, bool)> =
                part.iter().flat_map(|&node| next(node)).filter(|&(target, ..)| is_inside(target)).collect();
            let acting = inner.iter().fold(0, |all, &(_, actors, _)| all | actors);
            let always_enabled = part.iter().fold(!0, |all, &node| all & self.enabled[node]);
            let is_fair = match fairness {
                Fairness::None => true,
                Fairness::Weak => acting == group && always_enabled & !group == 0,
                Fairness::Strong => acting == group,
            };
            if is_fair && inner.iter().any(|&(_, _, accepting)| accepting) {
                return true;
            }
        }
        false
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
    let mut agreement = Agreement::default();
    let Ok(system) = crate::input::read_text("model.pml", text) else { return agreement };
    for formula in &system.model.formulas {
        let Some(reference) = Reference::new(&system, &formula.formula, most_states) else { continue };
        let mut verdicts = Vec::new();
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let truth = reference.is_violated(fairness);
            verdicts.push(truth);
            for counters in [Counters::Off, Counters::On] {
                let options = FairOptions { fairness, counters, diagnose: false, ..FairOptions::default() };
                let report = check_formula(&system, formula, &options, &Control::none());
                let found = match &report.verdict {
                    Verdict::Proved(_) => false,
                    Verdict::Violated(_) => true,
                    Verdict::Unknown(unknown) => {
                        // A counterexample that cannot be replayed was none.
                        if matches!(unknown.reason, StopReason::ReplayFailed { .. }) {
                            let what = format!("{} {fairness:?} {counters:?}: {unknown:?}", formula.name);
                            agreement.differences.push(what);
                        }
                        agreement.undecided += u64::from(counters == Counters::Off);
                        continue;
                    }
                };
                agreement.compared += 1;
                agreement.violated += u64::from(truth);
                if found != truth {
                    let what = format!(
                        "{} {fairness:?} {counters:?}: violated {found}, reference {truth}",
                        formula.name
                    );
                    agreement.differences.push(what);
                }
            }
        }
        agreement.sensitive += u64::from(verdicts.iter().any(|&verdict| verdict != verdicts[0]));
    }
    agreement
}

fn closure(start: usize, nodes: usize, next: &dyn Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; nodes];
    reached[start] = true;
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        for target in next(node) {
            if !std::mem::replace(&mut reached[target], true) {
                waiting.push(target);
            }
        }
    }
    reached
}

fn product(reached: &Reached, automaton: &Automaton) -> Reference {
    let mut numbers: HashMap<(usize, StateId), usize> = HashMap::from([((0, automaton.initial()), 0)]);
    let mut nodes = vec![(0, automaton.initial())];
    let mut reference = Reference {
        enabled: Vec::new(),
        moves: Vec::new(),
        everybody: reached.enabled.iter().fold(0, |all, enabled| all | enabled),
        states: reached.letters.len(),
    };
    while reference.moves.len() < nodes.len() {
        let (state, claim) = nodes[reference.moves.len()];
        let mut moves = Vec::new();
        for (next_claim, marks) in automaton.moves(claim, &reached.letters[state]) {
            for &(next_state, actors) in &reached.moves[state] {
                let key = (next_state, next_claim);
                let target = *numbers.entry(key).or_insert_with(|| {
                    nodes.push(key);
                    nodes.len() - 1
                });
                // A plain automaton without any acceptance set accepts whatever it can read.
                moves.push((target, actors, automaton.all_marks().is_subset(marks)));
            }
        }
        reference.enabled.push(reached.enabled[state]);
        reference.moves.push(moves);
    }
    reference
}

fn reach(system: &System, property: &Property, most_states: usize) -> Option<Reached> {
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let initial = interpreter.initial_state().ok()?;
    let mut numbers: HashMap<State, usize> = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut reached = Reached { letters: Vec::new(), enabled: Vec::new(), moves: Vec::new() };
    while reached.moves.len() < states.len() {
        if states.len() > most_states {
            return None;
        }
        let number = reached.moves.len();
        let state = states[number].clone();
        let mut letter = Letter::new();
        for (index, proposition) in property.propositions.iter().enumerate() {
            if interpreter.evaluate(&state, None, proposition).ok()? != 0 {
                letter.insert(PropositionId::from_position(index));
            }
        }
        let mut steps = Vec::new();
        interpreter.steps(&state, &mut steps).ok()?;
        let mut moves = Vec::new();
        if steps.is_empty() {
            // The run has ended and stays where it is.
            moves.push((number, 0));
        }
        let mut enabled = 0;
        for &step in &steps {
            enabled |= participants(step)?;
            for (after, actors) in arrivals(&interpreter, &state, step, 0, 200)? {
                let target = *numbers.entry(after.clone()).or_insert_with(|| {
                    states.push(after);
                    states.len() - 1
                });
                moves.push((target, actors));
            }
        }
        reached.letters.push(letter);
        reached.enabled.push(enabled);
        reached.moves.push(moves);
    }
    Some(reached)
}

/// Where a step leads, and who acted on the way there: on to the end of an `atomic` sequence, or to where it blocks.
fn arrivals(
    interpreter: &Interpreter<'_>,
    state: &State,
    step: Step,
    acted: Processes,
    patience: u32,
) -> Option<Vec<(State, Processes)>> {
    let acted = acted | participants(step)?;
    let mut after = state.clone();
    interpreter.execute(&mut after, step, &(), &mut ()).ok()?;
    if after.exclusive.is_none() {
        return Some(vec![(after, acted)]);
    }
    let mut steps = Vec::new();
    let enabled = interpreter.steps(&after, &mut steps).ok()?;
    if enabled.released || steps.is_empty() {
        after.exclusive = None;
        return Some(vec![(after, acted)]);
    }
    let patience = patience.checked_sub(1)?;
    let mut found = Vec::new();
    for step in steps {
        found.extend(arrivals(interpreter, &after, step, acted, patience)?);
    }
    Some(found)
}

/// The processes of a step as bits; nothing if there are too many to try all subsets of.
fn participants(step: Step) -> Option<Processes> {
    let bit = |pid: u32| (pid < 10).then(|| 1 << pid);
    let partner = step.partner.map_or(Some(0), |partner| bit(partner.process.0))?;
    Some(bit(step.process.0)? | partner)
}
