//! States in which processes are counted, exactly.
//!
//! A [`Counted`] state has the globals and channels, the processes that are told apart (**individuals**, oldest first) and for
//! the others how many are in each local state.
//!
//! Where nobody can notice that a process ends ([`Symmetry::ends_unseen`]), everybody has died when he has come to his end, whoever is younger.
//! Of counted ones that began by themselves it is still counted how many have ended, since variables may be linked
//! to their number; those that `run` starts may be without end, so no trace is left of them. Individuals that have ended keep their places as long
//! as there are younger ones, so that fairness does not take one for another.
//!
//! Elsewhere the counted never end. An individual that is older than some counted process does not die,
//! and the youngest individual may die only if it is younger than all of them. That is all that has to be remembered of the order of pids.

use super::symmetry::Symmetry;
use crate::fair::Property;
use crate::fair::explicit::{
    Ways, actors_of, chains, decode_globals, decode_process, decode_rest, encode_process, encode_rest,
};
use crate::fair::interner::{Interner, Reader, Writer};
use crate::fair::space::{Expansion, Move, Problem, Space, StateNumber};
use omega::{Letter, ProcessId, ProcessSet, PropositionId, TypedIndex};
use promela::model::{Expr, ExprKind, ProctypeId, RemoteProcess};
use std::collections::BTreeMap;
use system::automaton::{Action, AutomatonId, EdgeId, LocationId};
use system::interpreter::{Interpreter, RuntimeError, RuntimeErrorKind, Step};
use system::state::{Channel, Pid, Process, State};

/// A local state of a counted proctype, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalState(pub u32);

/// A state with counters.
#[derive(Clone, PartialEq, Debug)]
pub struct Counted {
    /// Globals, channels and the rest; its processes are the individuals, and owners of channels are indices of individuals.
    pub shared: State,
    /// How many of the individuals are older than some counted process; of no matter where ends are unseen.
    pub buried: usize,
    /// How many processes are in each local state; no zeros.
    pub counts: BTreeMap<LocalState, u32>,
}

/// Whom a process of a representative stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The individual with this index.
    Individual(usize),
    /// Somebody in a local state; the second number tells two of them apart.
    Somebody(LocalState, usize),
}

/// A state of the semantics that does what a counted state does.
#[derive(Clone, Debug)]
pub struct Representative {
    /// The state.
    pub state: State,
    /// Whom each of its processes stands for.
    pub roles: Vec<Role>,
}

impl Representative {
    /// Whom fairness knows behind processes of the representative. Those that were created on the way are not among them.
    pub(super) fn actors(&self, positions: &ProcessSet) -> ProcessSet {
        let roles = positions.iter().filter_map(|position| self.roles.get(position.position()));
        roles.map(|&role| actor(role)).collect()
    }

    /// Whether steps involve everybody who stands here for some local state of those that matter.
    pub(super) fn uses_up(&self, steps: &[Step], matters: impl Fn(LocalState) -> bool) -> bool {
        let acting = actors_of(steps);
        let mut left: BTreeMap<LocalState, usize> = BTreeMap::new();
        for (position, role) in self.roles.iter().enumerate() {
            if let Role::Somebody(local, _) = *role {
                *left.entry(local).or_default() += usize::from(!acting.contains(ProcessId(position as u32)));
            }
        }
        left.into_iter().any(|(local, left)| left == 0 && matters(local))
    }
}

/// What can happen in a counted state.
pub(super) struct Arrivals {
    /// By whose steps.
    pub representative: Representative,
    /// Where the chains of steps lead, who acts for fairness, and the steps.
    pub found: Vec<(StateNumber, ProcessSet, Vec<Step>)>,
    /// The rest; without moves.
    pub expansion: Expansion,
}

/// What a chain of steps did to a counted state.
pub(super) struct Folded {
    /// Globals, channels, individuals afterwards.
    pub shared: State,
    /// How many individuals are older than some counted process.
    pub buried: usize,
    /// By how much each number of processes changed; no zeros.
    pub net: BTreeMap<LocalState, i64>,
    /// How many counted processes were created.
    pub created: usize,
}

impl Folded {
    /// The counted state, if all numbers are exact.
    fn exactly(&self, before: &Counted) -> Counted {
        let mut counts = before.counts.clone();
        for (&local, &change) in &self.net {
            let count = i64::from(counts.get(&local).copied().unwrap_or(0)) + change;
            match u32::try_from(count) {
                Ok(0) | Err(_) => counts.remove(&local),
                Ok(count) => counts.insert(local, count),
            };
        }
        Counted { shared: self.shared.clone(), buried: self.buried, counts }
    }
}

/// The local states of counted processes, by number.
#[derive(Default)]
pub struct LocalStates {
    known: Interner,
    writer: Writer,
}

/// States with counters.
pub struct CounterSpace<'s> {
    pub(super) interpreter: Interpreter<'s>,
    pub(super) property: &'s Property,
    symmetry: Symmetry,
    pub(super) locals: LocalStates,
    states: Interner,
    /// Whether a step depends on who is there beside the process that takes it: by a rendezvous, or by `timeout`.
    pub(super) depends_on_others: bool,
}

impl LocalStates {
    /// The number of a process's local state.
    pub fn number(&mut self, process: &Process) -> LocalState {
        self.writer.bytes.clear();
        encode_process(process, &mut self.writer);
        LocalState(self.known.intern(&self.writer.bytes))
    }

    /// A process in a local state.
    pub fn process(&self, interpreter: &Interpreter<'_>, local: LocalState) -> Process {
        decode_process(interpreter, &mut Reader::new(self.known.get(local.0)))
    }
}

/// The number under which fairness knows somebody.
pub fn actor(role: Role) -> ProcessId {
    match role {
        Role::Individual(index) => ProcessId(index as u32 * 2),
        Role::Somebody(local, _) => ProcessId(local.0 * 2 + 1),
    }
}

impl<'s> CounterSpace<'s> {
    /// The states of a system in which the proctypes of `symmetry` are counted.
    pub fn new(
        interpreter: Interpreter<'s>,
        property: &'s Property,
        symmetry: &Symmetry,
    ) -> CounterSpace<'s> {
        let model = &interpreter.system().model;
        CounterSpace {
            interpreter,
            property,
            symmetry: symmetry.clone(),
            locals: LocalStates::default(),
            states: Interner::default(),
            depends_on_others: model.features.timeout
                || model.channel_types.iter().any(|channel| channel.capacity == 0),
        }
    }

    /// Whether the property asks how many processes stand at a label.
    pub(super) fn asks_for_numbers(&self) -> bool {
        self.property.propositions.iter().any(|expr| with_counts(expr, &|_, _| 0).is_some())
    }

    /// Whether a process is counted.
    pub(super) fn is_counted(&self, process: &Process) -> bool {
        self.counts_proctype(process.automaton.0 as usize)
    }

    /// Whether the processes of the proctype with this index are counted.
    pub(super) fn counts_proctype(&self, index: usize) -> bool {
        self.symmetry.counted[index]
    }

    /// Whether processes are created that leave no trace when they end.
    pub(super) fn forgets(&self) -> bool {
        self.symmetry.forgets(self.interpreter.system())
    }

    /// The edge by which a process dies, if it has come to its end and nobody notices when it dies.
    pub(super) fn unseen_end_of(&self, process: &Process) -> Option<EdgeId> {
        self.unseen_end_at(process.automaton, process.location)
    }

    /// The same for a process at a location.
    pub(super) fn unseen_end_at(&self, automaton: AutomatonId, location: LocationId) -> Option<EdgeId> {
        let automaton = &self.interpreter.system().automata[automaton.0 as usize];
        let mut edges = automaton.edges_from(location);
        let end = edges.find(|(_, edge)| edge.action == Action::End).map(|(id, _)| id);
        end.filter(|_| self.symmetry.ends_unseen)
    }

    /// Whether a process is dead for everybody.
    fn is_gone(&self, process: &Process) -> bool {
        self.unseen_end_of(process).is_some()
    }

    /// The local state under which a counted process is counted, if a trace is left of it.
    pub(super) fn place_of(&mut self, process: &Process) -> Option<LocalState> {
        let leaves_none = self.symmetry.started[process.automaton.0 as usize] && self.is_gone(process);
        (!leaves_none).then(|| self.locals.number(process))
    }

    /// Takes individuals away that are gone, as long as they are the youngest.
    fn forget_youngest(&self, individuals: &mut Vec<Process>) {
        while individuals.pop_if(|youngest| self.is_gone(youngest)).is_some() {}
    }

    /// The state with a number.
    pub fn state(&self, number: StateNumber) -> Counted {
        let reader = &mut Reader::new(self.states.get(number.0));
        let globals = decode_globals(&self.interpreter, reader);
        let buried = reader.unsigned() as usize;
        let individuals = reader.unsigned();
        let processes = (0..individuals).map(|_| decode_process(&self.interpreter, reader)).collect();
        let locals = reader.unsigned();
        let counts = (0..locals).map(|_| (LocalState(reader.unsigned()), reader.unsigned())).collect();
        let mut shared =
            State { globals, processes, channels: Vec::new(), last: 0, exclusive: None, event_trace: None };
        decode_rest(&mut shared, reader);
        Counted { shared, buried, counts }
    }

    /// How many states of the semantics a counted state stands for, if the processes of each proctype all began in the same
    /// local state and none has ended.
    pub fn concrete_states(&self, number: StateNumber) -> u128 {
        let state = self.state(number);
        let mut totals: BTreeMap<u32, u128> = BTreeMap::new();
        let mut ways = 1u128;
        for (&local, &count) in &state.counts {
            let total = totals.entry(self.locals.process(&self.interpreter, local).automaton.0).or_default();
            for chosen in 1..=u128::from(count) {
                *total += 1;
                // Exact: after each step `ways` is a product of binomial coefficients.
                ways = ways * *total / chosen;
            }
        }
        ways
    }

    /// All chains of steps of a representative, each with the counted state that it leads to and who acted.
    pub(super) fn arrivals(&mut self, number: StateNumber) -> Arrivals {
        let state = self.state(number);
        let interpreter = self.interpreter.with_process_limit(usize::MAX);
        let mut copies = if self.depends_on_others { 2 } else { 1 };
        let (representative, result, ends) = loop {
            let representative = self.representative(&state, copies);
            let mut ends = Vec::new();
            let result = chains(&interpreter, &representative.state, Ways::OneOfEach, &mut |after, steps| {
                ends.push((after.clone(), steps.to_vec()));
            });
            // One `atomic` sequence can meet many in the same local state, one after the other. Somebody must be left for it.
            let uses_all =
                |steps: &[Step]| representative.uses_up(steps, |local| state.counts[&local] > copies);
            if !self.depends_on_others || !ends.iter().any(|(_, steps)| uses_all(steps)) {
                break (representative, result, ends);
            }
            copies *= 2;
        };
        let mut expansion = match self.letter(&state, &representative) {
            Ok(letter) => Expansion { letter, ..Expansion::default() },
            Err(error) => {
                let expansion = Expansion::without_meaning(Problem::Error(error));
                return Arrivals { representative, found: Vec::new(), expansion };
            }
        };
        expansion.enabled = representative.actors(&result.enabled);
        expansion.problem = expansion.problem.or(result.problem);
        let total =
            state.shared.processes.len() + state.counts.values().map(|&count| count as usize).sum::<usize>();
        let mut found = Vec::new();
        for (after, steps) in ends {
            let created = after.processes.len().saturating_sub(representative.state.processes.len());
            if total + created > self.interpreter.process_limit() {
                let span = self.interpreter.system().model.proctypes[0].span;
                let error = RuntimeError { kind: RuntimeErrorKind::TooManyProcesses, process: None, span };
                expansion.problem.get_or_insert(Problem::Error(error));
                continue;
            }
            let positions = actors_of(&steps);
            let mut actors = representative.actors(&positions);
            let folded = self.fold(&state, &representative, &after);
            let next = folded.exactly(&state);
            // Individuals that were created on the way and acted at once.
            let mut index = state.shared.processes.len();
            for position in representative.roles.len()..after.processes.len() {
                if !self.is_counted(&after.processes[position]) {
                    if positions.contains(ProcessId(position as u32)) {
                        actors.insert(actor(Role::Individual(index)));
                    }
                    index += 1;
                }
            }
            let target = self.number(&next);
            found.push((target, actors, steps));
        }
        if result.ends {
            found.push((number, ProcessSet::new(), Vec::new()));
        }
        Arrivals { representative, found, expansion }
    }

    /// A state of the semantics with so many processes for each local state, or as many as there are; without those that are gone.
    pub(super) fn representative(&self, counted: &Counted, copies: u32) -> Representative {
        let individuals = &counted.shared.processes;
        let (mut roles, mut processes) = (Vec::new(), Vec::new());
        let mut add = |role: Role, process: &Process| {
            if !self.is_gone(process) {
                roles.push(role);
                processes.push(process.clone());
            }
        };
        let (older, younger) = individuals.split_at(counted.buried);
        for (index, process) in older.iter().enumerate() {
            add(Role::Individual(index), process);
        }
        for (&local, &count) in &counted.counts {
            let process = self.locals.process(&self.interpreter, local);
            (0..count.min(copies)).for_each(|copy| add(Role::Somebody(local, copy as usize), &process));
        }
        for (index, process) in younger.iter().enumerate() {
            add(Role::Individual(counted.buried + index), process);
        }
        let place = |individual: Pid| {
            let role = Role::Individual(individual.0 as usize);
            roles.iter().position(|&other| other == role).map(|place| Pid(place as u32))
        };
        let shared = &counted.shared;
        let channels = shared
            .channels
            .iter()
            .map(|channel| Channel { owner: channel.owner.and_then(place), ..channel.clone() })
            .collect();
        let state = State { processes, channels, ..shared.clone() };
        Representative { state, roles }
    }

    /// What a representative became.
    pub(super) fn fold(
        &mut self,
        before: &Counted,
        representative: &Representative,
        after: &State,
    ) -> Folded {
        let mut net: BTreeMap<LocalState, i64> = BTreeMap::new();
        let mut individuals = before.shared.processes.clone();
        let mut buried = before.buried;
        let mut created = 0;
        // Whose death is noticed is the youngest of all.
        for role in representative.roles.iter().skip(after.processes.len()) {
            if let Role::Individual(index) = *role {
                individuals.truncate(index);
            }
        }
        // Where each process of `after` went among the individuals.
        let mut indices: Vec<Option<u32>> = Vec::new();
        for (position, process) in after.processes.iter().enumerate() {
            let mut index = None;
            match representative.roles.get(position) {
                Some(&Role::Somebody(local, _)) => {
                    if representative.state.processes[position] != *process {
                        *net.entry(local).or_insert(0) -= 1;
                        if let Some(place) = self.place_of(process) {
                            *net.entry(place).or_insert(0) += 1;
                        }
                    }
                }
                Some(&Role::Individual(old)) => {
                    index = Some(old as u32);
                    individuals[old] = process.clone();
                }
                None if self.is_counted(process) => {
                    if let Some(place) = self.place_of(process) {
                        *net.entry(place).or_insert(0) += 1;
                    }
                    buried = individuals.len();
                    created += 1;
                }
                None => {
                    index = Some(individuals.len() as u32);
                    individuals.push(process.clone());
                }
            }
            indices.push(index);
        }
        let channels = after
            .channels
            .iter()
            .map(|channel| {
                let owner =
                    channel.owner.and_then(|pid| indices.get(pid.0 as usize).copied().flatten()).map(Pid);
                Channel { owner, ..channel.clone() }
            })
            .collect();
        self.forget_youngest(&mut individuals);
        let buried = buried.min(individuals.len());
        let shared = State { processes: individuals, channels, exclusive: None, ..after.clone() };
        net.retain(|_, &mut change| change != 0);
        Folded { shared, buried, net, created }
    }

    pub(super) fn number(&mut self, state: &Counted) -> StateNumber {
        let mut writer = Writer::default();
        state.shared.globals.iter().for_each(|&value| writer.signed(value));
        // Nobody is older than a counted process if there is none.
        let is_needed = !self.symmetry.ends_unseen && !state.counts.is_empty();
        writer.unsigned(if is_needed { state.buried as u32 } else { 0 });
        writer.unsigned(state.shared.processes.len() as u32);
        state.shared.processes.iter().for_each(|process| encode_process(process, &mut writer));
        writer.unsigned(state.counts.len() as u32);
        for (local, &count) in &state.counts {
            writer.unsigned(local.0);
            writer.unsigned(count);
        }
        encode_rest(&state.shared, &mut writer);
        StateNumber(self.states.intern(&writer.bytes))
    }

    fn letter(&self, counted: &Counted, representative: &Representative) -> Result<Letter, RuntimeError> {
        let mut letter = Letter::new();
        for (index, proposition) in self.property.propositions.iter().enumerate() {
            let known = with_counts(proposition, &|proctype, label| {
                self.count_at(counted, proctype, label, u32::MAX).0
            });
            let expr = known.as_ref().unwrap_or(proposition);
            if self.interpreter.evaluate(&representative.state, None, expr)? != 0 {
                letter.insert(PropositionId::from_position(index));
            }
        }
        Ok(letter)
    }

    /// How many processes of a proctype stand at a label, and whether a count beyond the cutoff is among them.
    pub(super) fn count_at(
        &self,
        counted: &Counted,
        proctype: ProctypeId,
        label: &str,
        cutoff: u32,
    ) -> (i32, bool) {
        let automaton = &self.interpreter.system().automata[proctype.0 as usize];
        let Some(number) = automaton.labels.iter().find(|(name, _)| name == label).map(|&(_, number)| number)
        else {
            return (0, false);
        };
        let is_there = |process: &Process| {
            process.automaton.0 == proctype.0 && automaton.location(process.location).number == number
        };
        let mut sum = counted.shared.processes.iter().filter(|process| is_there(process)).count() as i32;
        let mut many = false;
        for (&local, &count) in &counted.counts {
            if is_there(&self.locals.process(&self.interpreter, local)) {
                sum += count as i32;
                many |= count > cutoff;
            }
        }
        (sum, many)
    }

    pub(super) fn initial_counted(&mut self) -> Result<Counted, RuntimeError> {
        let system = self.interpreter.system();
        // One process of each counted proctype is started to see its local state; the rest are like it.
        let counted = self.symmetry.proctypes().into_iter();
        let numbers: Vec<(ProctypeId, u32)> =
            counted.map(|id| (id, system.model.proctypes[id.0 as usize].active)).collect();
        let total: usize = system.model.proctypes.iter().map(|proctype| proctype.active as usize).sum();
        if total > self.interpreter.process_limit() {
            let span = system.model.proctypes[0].span;
            return Err(RuntimeError { kind: RuntimeErrorKind::TooManyProcesses, process: None, span });
        }
        let single: Vec<(ProctypeId, u32)> =
            numbers.iter().map(|&(id, number)| (id, number.min(1))).collect();
        let small = crate::fair::with_processes(system, &single);
        let state = Interpreter::new(&small, self.interpreter.capacities()).initial_state()?;
        let mut counts = BTreeMap::new();
        let mut individuals = Vec::new();
        let mut buried = 0;
        let mut indices = Vec::new();
        for process in &state.processes {
            let index = process.automaton.0 as usize;
            indices.push(individuals.len() as u32);
            if self.is_counted(process) {
                if let Some(place) = self.place_of(process) {
                    *counts.entry(place).or_insert(0) += system.model.proctypes[index].active;
                }
                buried = individuals.len();
            } else {
                individuals.push(process.clone());
            }
        }
        let channels = state
            .channels
            .iter()
            .map(|channel| {
                let owner = channel.owner.map(|pid| Pid(indices[pid.0 as usize]));
                Channel { owner, ..channel.clone() }
            })
            .collect();
        self.forget_youngest(&mut individuals);
        let buried = buried.min(individuals.len());
        Ok(Counted { shared: State { processes: individuals, channels, ..state }, buried, counts })
    }
}

impl Space for CounterSpace<'_> {
    fn initial(&mut self) -> Result<Vec<StateNumber>, RuntimeError> {
        let state = self.initial_counted()?;
        Ok(vec![self.number(&state)])
    }

    fn expand(&mut self, number: StateNumber) -> Expansion {
        let Arrivals { found, mut expansion, .. } = self.arrivals(number);
        for (target, actors, _) in found {
            let step = Move { target, actors, changes: Vec::new(), letter: Letter::new() };
            if !expansion.moves.contains(&step) {
                expansion.moves.push(step);
            }
        }
        expansion
    }

    fn states(&self) -> usize {
        self.states.len()
    }

    fn memory(&self) -> usize {
        self.states.memory() + self.locals.known.memory()
    }
}

/// The expression with numbers of processes at labels (`P[*]@label`) put in; `None` if there are none.
pub(super) fn with_counts(expr: &Expr, count: &dyn Fn(ProctypeId, &str) -> i32) -> Option<Expr> {
    let same = |inner: &Expr| Box::new(with_counts(inner, count).unwrap_or_else(|| inner.clone()));
    let asks = crate::fair::formula::mentions(expr, &mut |kind| {
        matches!(kind, ExprKind::RemoteLabel { proctype: RemoteProcess::All(_), .. })
    });
    if !asks {
        return None;
    }
    let kind = match &expr.kind {
        ExprKind::RemoteLabel { proctype: RemoteProcess::All(id), label, .. } => {
            ExprKind::Constant { value: count(*id, label), mtype: None }
        }
        ExprKind::Unary(operator, inner) => ExprKind::Unary(*operator, same(inner)),
        ExprKind::Binary(operator, left, right) => ExprKind::Binary(*operator, same(left), same(right)),
        ExprKind::Conditional(condition, left, right) => {
            ExprKind::Conditional(same(condition), same(left), same(right))
        }
        other => other.clone(),
    };
    Some(Expr { kind, span: expr.span })
}
