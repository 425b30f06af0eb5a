//! Steps that were never met before: the semantics computes them, and they are remembered.

use super::{Expander, LayoutIsFull, MOST_FOR_PAIRS, lock, pair_line, process_line};
use crate::explore::memo::{Lookup, Marks, MoveInfo};
use crate::packed::knowledge::{cause_of_error, cause_of_violation};
use crate::threads::shared_memo::MemoEntry;
use system::interpreter::Partners;
use system::state::Pid;

impl<const N: usize> Expander<'_, '_, N> {
    /// Asks the semantics, and remembers what it says.
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
        let interpreter = self.shared.interpreter;
        let system = interpreter.system();
        // Whoever has to wait here is likely to be told by the one he waits for.
        let mut knowledge = lock(&self.shared.knowledge);
        let knowledge = &mut *knowledge;
        let line = match partners {
            Partners::Only(receiver) => pair_line(pid.0, receiver.0, timeout),
            Partners::All | Partners::None => process_line(pid.0, timeout),
        };
        if self.catch_up() {
            let found = self.rows.look_up(line, number, state);
            if found != Lookup::Unknown {
                return Ok(found);
            }
        }
        let layout = &self.layout;
        knowledge.components.decode(|component| layout.number(state, component), &mut self.decoded);
        let before = &self.decoded.state;
        let process = &before.processes[pid.0 as usize];
        let escapes = {
            let automaton = system.automaton(process.automaton);
            automaton.edges_from(process.location).any(|(_, edge)| edge.escape > 0)
        };
        // Pairs are numbered by the square of their pids, which is no good with very many processes.
        let crowded = knowledge.components.process_slots() > MOST_FOR_PAIRS;
        let at_once = (escapes || crowded) && partners == Partners::None;
        let partners = if at_once { Partners::All } else { partners };
        self.recorder.clear();
        self.steps.clear();
        self.moves.clear();
        self.touched.clear();
        let found = interpreter.steps_with(before, pid, timeout, partners, &self.recorder, &mut self.steps);
        for &step in &self.steps {
            let mut after = before.clone();
            let outcome = interpreter.execute(&mut after, step, &self.recorder, &mut knowledge.watch);
            let mut violations = knowledge.watch.take_violations();
            violations.retain(|violation| self.shared.properties.include(violation));
            let causes = violations.iter().map(|violation| cause_of_violation(before, step, violation));
            let mut problems: Vec<u32> = causes.map(|cause| knowledge.number_of(cause)).collect();
            knowledge.note_executed(before, step);
            let exclusive = after.exclusive.take();
            let progress = self.shared.progress.is_made_by(&interpreter, before, step);
            let marks = Marks { progress };
            let reducer = self.shared.reducer.as_ref();
            let closes_loop = reducer.is_some_and(|reducer| reducer.closes_loop(before, step));
            let dies = after.processes.len() < before.processes.len();
            let mut info = MoveInfo {
                step: Some(step),
                exclusive,
                problem: None,
                arrives: true,
                closes_loop,
                dies,
                marks,
            };
            let mut change = [0; N];
            match outcome {
                Err(error) => {
                    let cause = cause_of_error(before, Some(step), &error);
                    info = MoveInfo {
                        problem: Some(knowledge.number_of(cause)),
                        arrives: false,
                        exclusive: None,
                        ..info
                    };
                }
                Ok(()) => {
                    info.problem = problems.pop();
                    knowledge.components.changes(&self.decoded, &after, &mut self.changes);
                    for &(component, new) in &self.changes {
                        if !layout.fits(component, new) {
                            return Err(LayoutIsFull);
                        }
                        self.touched.push(component);
                        let field = layout.field(component);
                        if field.width > 0 {
                            let old = self.decoded.numbers.get(component.0 as usize).copied().unwrap_or(0);
                            change[field.word as usize] ^= u64::from(old ^ new) << field.shift;
                        }
                    }
                }
            }
            self.moves.push((change, info));
            // A move has one problem; the others of its step are moves that arrive nowhere.
            let further =
                |problem| MoveInfo { problem: Some(problem), arrives: false, exclusive: None, ..info };
            self.moves.extend(problems.into_iter().map(|problem| ([0; N], further(problem))));
        }
        let nothing = MoveInfo {
            step: None,
            exclusive: None,
            problem: None,
            arrives: false,
            closes_loop: false,
            dies: false,
            marks: Marks::default(),
        };
        match found {
            Ok(true) if partners == Partners::None => self.moves.push(([0; N], nothing)),
            Ok(_) => {}
            Err(error) => {
                let cause = cause_of_error(before, None, &error);
                let problem = Some(knowledge.number_of(cause));
                self.moves.push(([0; N], MoveInfo { problem, ..nothing }));
            }
        }
        let ample = match &self.shared.reducer {
            Some(reducer) => {
                reducer.note_uses(&interpreter, before, pid);
                // Where a move fails it puts off all others for ever.
                let fails = self.moves.iter().any(|(_, info)| !info.arrives && info.problem.is_some());
                partners == Partners::None
                    && !timeout
                    && !fails
                    && reducer.is_ample(&interpreter, before, pid)
            }
            None => false,
        };
        self.recorder.components(&knowledge.components, &mut self.touched);
        if system.model.features.last {
            // Written by every step, without a word.
            self.touched.push(knowledge.components.last());
        }
        if let Partners::Only(receiver) = partners {
            self.touched.extend(knowledge.components.process(receiver));
        }
        let own = knowledge.components.process(pid);
        self.touched.retain(|&component| Some(component) != own);
        self.touched.sort_unstable();
        self.touched.dedup();
        for &component in &self.touched {
            knowledge.components.note_companion(component, pid);
        }
        if let Some(shared_memo) = self.shared_memo {
            let (touched, moves) = (self.touched.as_slice().into(), self.moves.as_slice().into());
            self.shared_read =
                shared_memo.publish(MemoEntry { line, number, state: *state, touched, moves, ample });
        }
        Ok(self.rows.remember(line, number, state, layout, &self.touched, &self.moves, ample))
    }
}
