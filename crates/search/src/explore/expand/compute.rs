//! Steps that are not remembered: the semantics computes them, and mostly they are remembered then.

use super::executed::{Way, Went};
use super::sites::Decision;
use super::values::Values;
use super::{Expander, LayoutIsFull, MOST_FOR_PAIRS, Shared, lock, pair_line};
use crate::explore::memo::{Lookup, Marks, MoveInfo};
use crate::options::Steps;
use crate::packed::components::{ComponentId, Components};
use crate::packed::knowledge::{Knowledge, cause_of_error, cause_of_violation};
use crate::packed::layout::Layout;
use crate::threads::shared_memo::MemoEntry;
use system::interpreter::{Interpreter, Observer, Partners, Step};
use system::state::{Pid, Process};

/// What computing the steps of a process works with, and the moves that come out.
#[derive(Clone, Debug)]
pub struct Computation<const N: usize> {
    /// The state whose steps are computed.
    pub values: Values<N>,
    /// What was computed last: for each move which bits of the state it flips, and what it is.
    pub moves: Vec<([u64; N], MoveInfo)>,
    steps: Vec<Step>,
    changes: Vec<(ComponentId, u32)>,
    /// Components that were changed.
    pub(super) changed: Vec<ComponentId>,
    /// Whether any statement is progress.
    has_progress: bool,
}

/// Whose steps are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    pub(super) pid: Pid,
    pub(super) timeout: bool,
    pub(super) partners: Partners,
}

const NO_MOVE: MoveInfo = MoveInfo {
    step: None,
    exclusive: None,
    problem: None,
    arrives: false,
    closes_loop: false,
    dies: false,
    marks: Marks { progress: false },
    inner: 0,
};

impl<const N: usize> Expander<'_, '_, N> {
    /// Asks the semantics, and remembers what it says, unless that was found not to pay.
    #[cold]
    #[inline(never)]
    pub(super) fn compute(
        &mut self,
        state: &[u64; N],
        pid: Pid,
        number: u32,
        timeout: bool,
        partners: Partners,
    ) -> Result<Lookup, LayoutIsFull> {
        let shared = self.shared;
        let interpreter = shared.interpreter;
        // Whoever has to wait here is likely to be told by the one he waits for.
        let mut knowledge = lock(&shared.knowledge);
        let knowledge = &mut *knowledge;
        let line = match partners {
            Partners::Only(receiver) => pair_line(pid.0, receiver.0, timeout),
            Partners::All | Partners::None => self.line(pid.0, timeout),
        };
        if self.catch_up() {
            let found = self.rows.look_up(line, number, state);
            if found != Lookup::Unknown {
                return Ok(found);
            }
        }
        let values = &mut self.computation.values;
        values.decode(&knowledge.components, &self.layout, state);
        let process = &values.state().processes[pid.0 as usize];
        let decision = match (&shared.reducer, shared.steps) {
            (None, Steps::Executed) => Decision::Execute,
            (None, Steps::Measured | Steps::Directly | Steps::ByVariables) => {
                self.sites.decide(line, process.location)
            }
            _ => Decision::Remember,
        };
        if decision == Decision::Execute && partners == Partners::None && !timeout {
            let way = Way { pid, inside: false, most: 1 };
            if let Some(found) = self.execute_and_forget(knowledge, way)? {
                return Ok(found);
            }
        }
        let values = &mut self.computation.values;
        let process = &values.state().processes[pid.0 as usize];
        let at_once = partners == Partners::None && at_once(shared, knowledge, process);
        let partners = if at_once { Partners::All } else { partners };
        let mover = Mover { pid, timeout, partners };
        if decision == Decision::Execute {
            self.computation.run(shared, knowledge, &self.layout, mover, &())?;
            return Ok(self.rows.hold(&self.computation.moves));
        }
        self.recorder.clear();
        self.computation.run(shared, knowledge, &self.layout, mover, &self.recorder)?;
        let Computation { values, moves, changed, .. } = &mut self.computation;
        let before = values.state();
        let ample = match &shared.reducer {
            Some(reducer) => {
                reducer.note_uses(&interpreter, before, pid, self.phase);
                // Where a move fails it puts off all others for ever.
                let fails = moves.iter().any(|(_, info)| !info.arrives && info.problem.is_some());
                partners == Partners::None
                    && !timeout
                    && !fails
                    && reducer.is_ample(&interpreter, before, pid, self.phase)
            }
            None => false,
        };
        let components = &mut knowledge.components;
        self.touched.clear();
        self.recorder.components(components, before, &mut self.touched);
        self.touched.append(changed);
        if let Partners::Only(receiver) = partners {
            self.touched.extend(components.process(receiver));
        }
        let moves = std::mem::take(moves);
        let found = self.keep(components, (line, number), state, pid, &moves, ample);
        self.computation.moves = moves;
        Ok(found)
    }

    /// Executes moves of a process in the state that was decoded last, and holds them for a moment; `None` if that is to be done the long way.
    pub(super) fn execute_and_forget(
        &mut self,
        knowledge: &mut Knowledge,
        way: Way,
    ) -> Result<Option<Lookup>, LayoutIsFull> {
        let Process { automaton, location, .. } =
            self.computation.values.state().processes[way.pid.0 as usize];
        if self.shared.reducer.is_some() || !self.execution.suits(self.shared, automaton, location) {
            return Ok(None);
        }
        let Expander { computation, execution, shared, layout, sites, .. } = self;
        let sites = (shared.steps != Steps::Executed).then_some(sites);
        match computation.run_and_forget(execution, shared, knowledge, layout, (way, sites))? {
            Went::Unsuited => Ok(None),
            Went::Well(inside) => {
                self.inside = inside;
                Ok(Some(self.rows.hold(&self.computation.moves)))
            }
        }
    }

    /// Remembers moves of a process under what was touched, and tells others of them.
    pub(super) fn keep(
        &mut self,
        components: &mut Components,
        (line, number): (u32, u32),
        state: &[u64; N],
        pid: Pid,
        moves: &[([u64; N], MoveInfo)],
        ample: bool,
    ) -> Lookup {
        if self.shared.interpreter.system().model.features.last {
            // Written by every step, without a word.
            self.touched.push(components.last());
        }
        self.stamps.keep_first(&mut self.touched, components.process(pid), components);
        for &component in &self.touched {
            components.note_companion(component, pid);
        }
        if let Some(shared_memo) = self.shared_memo {
            let (touched, moves) = (self.touched.as_slice().into(), moves.into());
            self.shared_read =
                shared_memo.publish(MemoEntry { line, number, state: *state, touched, moves, ample });
        }
        self.rows.remember(line, number, state, &self.layout, &self.touched, moves, ample)
    }
}

/// Whether the rendezvous of a process are computed together with its other steps: where an escape decides about them, and where there are very
/// many processes, because pairs are numbered by the square of their pids.
pub(super) fn at_once(shared: &Shared<'_>, knowledge: &Knowledge, process: &Process) -> bool {
    let automaton = shared.interpreter.system().automaton(process.automaton);
    knowledge.components.process_slots() > MOST_FOR_PAIRS
        || automaton.edges_from(process.location).any(|(_, edge)| edge.escape > 0)
}

impl<const N: usize> Computation<N> {
    /// Of nothing yet.
    pub fn new(shared: &Shared<'_>, components: &Components, layout: &Layout) -> Computation<N> {
        Computation {
            values: Values::new(components, layout),
            moves: Vec::new(),
            steps: Vec::new(),
            changes: Vec::new(),
            changed: Vec::new(),
            has_progress: shared.progress.iter().next().is_some(),
        }
    }

    /// Computes the moves of a process.
    pub(super) fn run<O: Observer>(
        &mut self,
        shared: &Shared<'_>,
        knowledge: &mut Knowledge,
        layout: &Layout,
        Mover { pid, timeout, partners }: Mover,
        observer: &O,
    ) -> Result<(), LayoutIsFull> {
        self.moves.clear();
        self.changed.clear();
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let interpreter = &shared.interpreter;
        let found = interpreter.steps_with(self.values.state(), pid, timeout, partners, observer, &mut steps);
        for &step in &steps {
            if let Err(full) = self.execute(shared, knowledge, layout, step, observer) {
                self.values.restore(&knowledge.components, None);
                return Err(full);
            }
        }
        self.steps = steps;
        match found {
            Ok(true) if partners == Partners::None => self.moves.push(([0; N], NO_MOVE)),
            Ok(_) => {}
            Err(error) => {
                let cause = cause_of_error(self.values.state(), None, &error);
                let problem = Some(knowledge.number_of(cause));
                self.moves.push(([0; N], MoveInfo { problem, ..NO_MOVE }));
            }
        }
        Ok(())
    }

    /// Executes a step: one move, or more if several things are wrong with it.
    fn execute<O: Observer>(
        &mut self,
        shared: &Shared<'_>,
        knowledge: &mut Knowledge,
        layout: &Layout,
        step: Step,
        observer: &O,
    ) -> Result<(), LayoutIsFull> {
        let interpreter: &Interpreter<'_> = &shared.interpreter;
        let (decoded, after) = self.values.with_scratch();
        let before = &decoded.state;
        knowledge.watch.begin_step();
        let outcome = interpreter.execute(after, step, observer, &mut knowledge.watch);
        let mut violations = knowledge.watch.take_violations();
        violations.retain(|violation| shared.properties.include(violation));
        let causes = violations.iter().map(|violation| cause_of_violation(before, step, violation));
        let mut problems: Vec<u32> = causes.map(|cause| knowledge.number_of(cause)).collect();
        knowledge.note_executed(before, step);
        let exclusive = after.exclusive.take();
        let progress = self.has_progress && shared.progress.is_made_by(interpreter, before, step);
        let reducer = shared.reducer.as_ref();
        let mut info = MoveInfo {
            step: Some(step),
            exclusive,
            problem: None,
            arrives: true,
            closes_loop: reducer.is_some_and(|reducer| reducer.closes_loop(before, step)),
            dies: after.processes.len() < before.processes.len(),
            marks: Marks { progress },
            inner: 0,
        };
        let mut change = [0; N];
        if let Err(error) = outcome {
            let problem = Some(knowledge.number_of(cause_of_error(before, Some(step), &error)));
            info = MoveInfo { problem, arrives: false, exclusive: None, ..info };
            self.values.restore(&knowledge.components, None);
        } else {
            info.problem = problems.pop();
            let reach = knowledge.watch.reach_of(step, interpreter.system().model.features.priorities);
            knowledge.components.changes(decoded, after, reach, &mut self.changes);
            #[cfg(debug_assertions)]
            {
                let mut all = Vec::new();
                knowledge.components.changes(decoded, after, None, &mut all);
                debug_assert_eq!(all, self.changes, "a step changes what it reaches: {step:?}");
            }
            for &(component, new) in &self.changes {
                if !layout.fits(component, new) {
                    return Err(LayoutIsFull);
                }
                self.changed.push(component);
                let field = layout.field(component);
                if field.width > 0 {
                    let old = decoded.numbers.get(component.0 as usize).copied().unwrap_or(0);
                    change[field.word as usize] ^= u64::from(old ^ new) << field.shift;
                }
            }
            self.values.restore(&knowledge.components, Some(&self.changes));
        }
        self.moves.push((change, info));
        // A move has one problem; the others of its step are moves that arrive nowhere.
        let further = |problem| MoveInfo { problem: Some(problem), arrives: false, exclusive: None, ..info };
        self.moves.extend(problems.into_iter().map(|problem| ([0; N], further(problem))));
        Ok(())
    }
}

/// Takes doubles out of lists of components.
#[derive(Clone, Debug, Default)]
pub struct Stamps {
    by_component: Vec<u32>,
    now: u32,
}

impl Stamps {
    /// Keeps the first of each component, and none of `without`.
    fn keep_first(
        &mut self,
        list: &mut Vec<ComponentId>,
        without: Option<ComponentId>,
        components: &Components,
    ) {
        if self.now == u32::MAX {
            *self = Stamps::default();
        }
        self.now += 1;
        self.by_component.resize(components.len(), 0);
        list.retain(|&component| {
            let stamp = &mut self.by_component[component.0 as usize];
            let is_first = *stamp != self.now;
            *stamp = self.now;
            is_first && Some(component) != without
        });
    }
}
