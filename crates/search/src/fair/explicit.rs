//! The states of the semantics as a [`Space`]: those that SPIN stores, an `atomic` chain being one move.
//!
//! A formula is looked at in stored states only, once a move: SPIN's verifier lets its claim move before each move of the
//! system and never inside an `atomic` sequence or between the halves of a rendezvous.

use super::formula::Property;
use super::interner::{Interner, Reader, Writer};
use super::path::{Executable, Execution, Run};
use super::space::{Expansion, Move, Problem, Space, StateNumber};
use omega::{Fairness, Letter, ProcessId, ProcessSet};
use promela::model::ChannelTypeId;
use std::collections::HashSet;
use system::automaton::{AutomatonId, LocationId};
use system::interpreter::{Interpreter, RuntimeError, Step};
use system::state::{Channel, Pid, Process, State};

/// States one by one.
pub struct ExplicitSpace<'s> {
    interpreter: Interpreter<'s>,
    property: &'s Property,
    states: Interner,
    writer: Writer,
}

impl<'s> ExplicitSpace<'s> {
    /// The states of a system, with the propositions of a formula.
    pub fn new(interpreter: Interpreter<'s>, property: &'s Property) -> ExplicitSpace<'s> {
        ExplicitSpace { interpreter, property, states: Interner::default(), writer: Writer::default() }
    }

    /// The state with a number.
    pub fn state(&self, number: StateNumber) -> State {
        decode(&self.interpreter, self.states.get(number.0))
    }

    /// The steps of a move from one state to another with these actors.
    pub fn steps_between(
        &mut self,
        from: StateNumber,
        to: StateNumber,
        actors: &ProcessSet,
    ) -> Option<Vec<Step>> {
        let state = self.state(from);
        let mut found = None;
        let wanted = self.states.get(to.0);
        let mut writer = Writer::default();
        let _ = chains(&self.interpreter, &state, Ways::OneOfEach, &mut |after, steps| {
            if found.is_none() && actors_of(steps) == *actors {
                writer.bytes.clear();
                encode(after, &mut writer);
                if writer.bytes == wanted {
                    found = Some(steps.to_vec());
                }
            }
        });
        found
    }

    fn number(&mut self, state: &State) -> StateNumber {
        self.writer.bytes.clear();
        encode(state, &mut self.writer);
        StateNumber(self.states.intern(&self.writer.bytes))
    }
}

impl Space for ExplicitSpace<'_> {
    fn initial(&mut self) -> Result<Vec<StateNumber>, RuntimeError> {
        let state = self.interpreter.initial_state()?;
        Ok(vec![self.number(&state)])
    }

    fn expand(&mut self, number: StateNumber) -> Expansion {
        let state = self.state(number);
        let mut expansion = match self.property.letter(&self.interpreter, &state) {
            Ok(letter) => Expansion { letter, ..Expansion::default() },
            Err(error) => return Expansion::without_meaning(Problem::Error(error)),
        };
        let mut arrivals: Vec<(State, ProcessSet)> = Vec::new();
        let result = chains(&self.interpreter, &state, Ways::OneOfEach, &mut |after, steps| {
            arrivals.push((after.clone(), actors_of(steps)));
        });
        expansion.enabled = result.enabled;
        expansion.problem = expansion.problem.or(result.problem);
        for (after, actors) in arrivals {
            let target = self.number(&after);
            expansion.moves.push(Move { target, actors, changes: Vec::new(), letter: Letter::new() });
        }
        if result.ends {
            expansion.moves.push(Move {
                target: number,
                actors: ProcessSet::new(),
                changes: Vec::new(),
                letter: Letter::new(),
            });
        }
        expansion
    }

    fn states(&self) -> usize {
        self.states.len()
    }

    fn memory(&self) -> usize {
        self.states.memory()
    }
}

impl Executable for ExplicitSpace<'_> {
    fn execution(&mut self, run: &Run, _: Fairness) -> Option<Execution> {
        let mut steps = Vec::new();
        for hop in run.prefix.iter().filter(|hop| !hop.actors.is_empty()) {
            steps.extend(self.steps_between(hop.from, hop.to, &hop.actors)?);
        }
        let loop_start = (!run.cycle.is_empty()).then_some(steps.len());
        // Where nobody acts the run has ended: no steps, though the automaton may still go on to its loop.
        for hop in run.cycle.iter().filter(|hop| !hop.actors.is_empty()) {
            steps.extend(self.steps_between(hop.from, hop.to, &hop.actors)?);
        }
        Some(Execution { steps, loop_start })
    }
}

/// What came of [`chains`] beside the arrivals.
#[derive(Default)]
pub struct Chained {
    /// Who has a step in the state, receivers of a rendezvous included.
    pub enabled: ProcessSet,
    /// Nothing can move.
    pub ends: bool,
    /// Something went wrong on the way.
    pub problem: Option<Problem>,
}

/// Which ways through `atomic` sequences are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ways {
    /// All: whoever asks looks at what happens on the way. Each free choice doubles their number.
    All,
    /// One to each state with the same company.
    OneOfEach,
}

/// The moves of a stored state: single steps, or `atomic` chains up to the next stored state.
pub fn chains(
    interpreter: &Interpreter<'_>,
    state: &State,
    ways: Ways,
    arrive: &mut dyn FnMut(&State, &[Step]),
) -> Chained {
    let mut chained = Chained::default();
    let mut steps = Vec::new();
    let (_, error) = interpreter.steps_beside_errors(state, &mut steps);
    chained.ends = steps.is_empty() && error.is_none();
    chained.problem = error.map(Problem::Error);
    chained.enabled = actors_of(&steps);
    let mut way = Vec::new();
    let mut inside = Inside { way: Vec::new(), met: (ways == Ways::OneOfEach).then(HashSet::new) };
    follow(interpreter, state, &steps, &mut way, &mut inside, &mut chained.problem, arrive);
    chained
}

/// States inside `atomic` sequences.
struct Inside {
    /// On the way to where the walk is.
    way: Vec<State>,
    /// All that were met, with who took part on the way to them; `None` if every way is wanted.
    met: Option<HashSet<(State, ProcessSet)>>,
}

impl Inside {
    /// Whether a state was met before with the same company.
    fn has_met(&mut self, state: &State, way: &[Step]) -> bool {
        self.met.as_mut().is_some_and(|met| !met.insert((state.clone(), actors_of(way))))
    }
}

/// Everybody who takes part in some of the steps.
pub fn actors_of(steps: &[Step]) -> ProcessSet {
    let mut actors = ProcessSet::new();
    for step in steps {
        actors.insert(ProcessId(step.process.0));
        if let Some(partner) = step.partner {
            actors.insert(ProcessId(partner.process.0));
        }
    }
    actors
}

fn follow(
    interpreter: &Interpreter<'_>,
    state: &State,
    steps: &[Step],
    way: &mut Vec<Step>,
    inside: &mut Inside,
    problem: &mut Option<Problem>,
    arrive: &mut dyn FnMut(&State, &[Step]),
) {
    for &step in steps {
        let mut after = state.clone();
        way.push(step);
        match interpreter.execute(&mut after, step, &(), &mut ()) {
            Err(error) => {
                problem.get_or_insert(Problem::Error(error));
            }
            Ok(_) if after.exclusive.is_none() => arrive(&after, way),
            Ok(_) if inside.way.contains(&after) => {
                problem.get_or_insert(Problem::EndlessAtomic);
            }
            Ok(_) if inside.has_met(&after, way) => {}
            Ok(_) => {
                let mut onward = Vec::new();
                let (enabled, error) = interpreter.steps_beside_errors(&after, &mut onward);
                // Who is blocked inside an `atomic` has lost control, whatever is wrong with the others.
                if enabled.released || (onward.is_empty() && error.is_none()) {
                    after.exclusive = None;
                    arrive(&after, way);
                } else {
                    *problem = problem.take().or(error.map(Problem::Error));
                    inside.way.push(after.clone());
                    follow(interpreter, &after, &onward, way, inside, problem, arrive);
                    inside.way.pop();
                }
            }
        }
        way.pop();
    }
}

/// Writes a stored state.
pub fn encode(state: &State, writer: &mut Writer) {
    state.globals.iter().for_each(|&value| writer.signed(value));
    writer.unsigned(state.processes.len() as u32);
    for process in &state.processes {
        encode_process(process, writer);
    }
    encode_rest(state, writer);
}

/// Writes a process.
pub fn encode_process(process: &Process, writer: &mut Writer) {
    writer.unsigned(process.automaton.0);
    writer.unsigned(process.location.0);
    writer.signed(process.priority);
    process.locals.iter().for_each(|&value| writer.signed(value));
}

/// Writes what a state has beside globals and processes.
pub fn encode_rest(state: &State, writer: &mut Writer) {
    writer.unsigned(state.channels.len() as u32);
    for channel in &state.channels {
        writer.unsigned(channel.channel_type.0);
        writer.unsigned(channel.owner.map_or(0, |pid| pid.0 + 1));
        writer.unsigned(channel.contents.len() as u32);
        channel.contents.iter().for_each(|&value| writer.signed(value));
    }
    writer.unsigned(state.last);
    writer.unsigned(state.event_trace.map_or(0, |location| location.0 + 1));
}

/// Reads a stored state.
pub fn decode(interpreter: &Interpreter<'_>, bytes: &[u8]) -> State {
    let reader = &mut Reader::new(bytes);
    let globals = decode_globals(interpreter, reader);
    let count = reader.unsigned();
    let processes = (0..count).map(|_| decode_process(interpreter, reader)).collect();
    let mut state =
        State { globals, processes, channels: Vec::new(), last: 0, exclusive: None, event_trace: None };
    decode_rest(&mut state, reader);
    state
}

/// Reads the globals.
pub fn decode_globals(interpreter: &Interpreter<'_>, reader: &mut Reader<'_>) -> Vec<i32> {
    (0..interpreter.system().model.global_slots).map(|_| reader.signed()).collect()
}

/// Reads a process.
pub fn decode_process(interpreter: &Interpreter<'_>, reader: &mut Reader<'_>) -> Process {
    let automaton = AutomatonId(reader.unsigned());
    let location = LocationId(reader.unsigned());
    let priority = reader.signed();
    let slots = interpreter.system().model.proctypes[automaton.0 as usize].slots;
    let locals = (0..slots).map(|_| reader.signed()).collect();
    Process { automaton, location, locals, priority }
}

/// Reads what [`encode_rest`] wrote.
pub fn decode_rest(state: &mut State, reader: &mut Reader<'_>) {
    let channels = reader.unsigned();
    for _ in 0..channels {
        let channel_type = ChannelTypeId(reader.unsigned());
        let owner = reader.unsigned().checked_sub(1).map(Pid);
        let length = reader.unsigned();
        let contents = (0..length).map(|_| reader.signed()).collect();
        state.channels.push(Channel { channel_type, owner, contents });
    }
    state.last = reader.unsigned();
    state.event_trace = reader.unsigned().checked_sub(1).map(LocationId);
}
