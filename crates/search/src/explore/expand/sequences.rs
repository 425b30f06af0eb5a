//! The rest of an `atomic` sequence, remembered as a whole.
//!
//! States inside of a sequence are not stored, so nobody needs them one after another. From a state inside of it, what is left of a
//! sequence is a list of moves that each stand for several steps, and it is remembered as other moves are: under all components that any of its steps has
//! touched. (What a step reads of a component is what was there at the beginning, or what steps before it have made of that.) Moves come in the
//! order in which they come step by step, so it does not matter to anybody who counts them which way they were made.

use super::compute::{Mover, at_once};
use super::executed::Way;
use super::sites::{Attempt, Decision};
use super::{Expander, LayoutIsFull, Standing, flip, lock, process_line, sequence_line};
use crate::explore::memo::{Lookup, Marks, MoveInfo};
use crate::options::Steps;
use crate::packed::knowledge::Knowledge;
use system::automaton::LocationId;
use system::interpreter::{Partners, Step};
use system::state::Pid;

/// A sequence is remembered as a whole up to this many states inside of it; what is left then is a sequence again.
pub(super) const MOST_LINKS: usize = 64;
/// The same for moves.
const MOST_MOVES: usize = 64;

/// What following a sequence works with, and the moves that come out.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence<const N: usize> {
    waiting: Vec<Inside<N>>,
    moves: Vec<([u64; N], MoveInfo)>,
    /// How many states inside were computed.
    links: u32,
}

/// A state inside of a sequence.
#[derive(Clone, Copy, Debug)]
struct Inside<const N: usize> {
    state: [u64; N],
    exclusive: Pid,
    /// The step that led there.
    step: Option<Step>,
    marks: Marks,
}

impl<const N: usize> Inside<N> {
    /// A move that leads there from a state.
    fn arrival_from(&self, state: &[u64; N], exclusive: Option<Pid>, inner: u32) -> ([u64; N], MoveInfo) {
        let Inside { step, marks, .. } = *self;
        let (problem, arrives, closes_loop, dies) = (None, true, false, false);
        let info = MoveInfo { step, exclusive, problem, arrives, closes_loop, dies, marks, inner };
        (flip(state, &self.state), info)
    }
}

impl<const N: usize> Expander<'_, '_, N> {
    /// The moves that are left of a sequence; `None` if it is to be followed step by step.
    pub(super) fn rest_of_sequence(
        &mut self,
        state: &[u64; N],
        pid: Pid,
        most: usize,
    ) -> Result<Option<Lookup>, LayoutIsFull> {
        self.inside = 0;
        let number = self.process_fields[pid.0 as usize].get(state);
        let line = sequence_line(pid.0);
        let Some(Standing { location, .. }) = self.standing(pid, number) else { return Ok(None) };
        let rows = &self.rows;
        let look_up = || Some(rows.look_up(line, number, state)).filter(|found| *found != Lookup::Unknown);
        if self.shared.steps == Steps::Executed {
            return self.execute_rest(state, (pid, location), most);
        }
        match self.sequences.find(line, location, look_up) {
            Attempt::Execute => return self.execute_rest(state, (pid, location), most),
            Attempt::Found(found) => return Ok(Some(found)),
            Attempt::NotFound => {}
        }
        let mut sequence = std::mem::take(&mut self.sequence);
        let found = self.compute_sequence(&mut sequence, state, pid, number);
        self.sequences.note_steps(line, location, sequence.links);
        self.sequence = sequence;
        match found? {
            Some(_) => self.sequences.note(line, location, false),
            None => self.sequences.give_up(line, location),
        }
        found
    }

    /// Executes the rest of a sequence, from so many states at most, where its steps are executed and not remembered; `None` elsewhere, and if that does
    /// not go.
    fn execute_rest(
        &mut self,
        state: &[u64; N],
        (pid, location): (Pid, LocationId),
        most: usize,
    ) -> Result<Option<Lookup>, LayoutIsFull> {
        let shared = self.shared;
        if shared.steps != Steps::Executed
            && self.sites.decide(process_line(pid.0, false), location) == Decision::Remember
        {
            return Ok(None);
        }
        let mut knowledge = lock(&shared.knowledge);
        self.computation.values.decode(&knowledge.components, &self.layout, state);
        self.execute_and_forget(&mut knowledge, Way { pid, inside: true, most })
    }

    /// Asks the semantics for the rest of a sequence, and remembers it; `None` if not even its first steps can be a part of it.
    #[cold]
    #[inline(never)]
    fn compute_sequence(
        &mut self,
        Sequence { waiting, moves, links }: &mut Sequence<N>,
        state: &[u64; N],
        pid: Pid,
        number: u32,
    ) -> Result<Option<Lookup>, LayoutIsFull> {
        let shared = self.shared;
        let mut knowledge = lock(&shared.knowledge);
        let knowledge = &mut *knowledge;
        let line = sequence_line(pid.0);
        if self.catch_up() {
            let found = self.rows.look_up(line, number, state);
            if found != Lookup::Unknown {
                return Ok(Some(found));
            }
        }
        waiting.clear();
        moves.clear();
        self.touched.clear();
        waiting.push(Inside { state: *state, exclusive: pid, step: None, marks: Marks::default() });
        *links = 0;
        // States inside of the sequence that no move stands for yet.
        let mut inner = 0;
        while let Some(at) = waiting.pop() {
            let is_left = at.exclusive != pid
                || *links as usize == MOST_LINKS
                || moves.len() + waiting.len() > MOST_MOVES;
            if is_left || self.offers_inside(knowledge, &at)? {
                if *links == 0 {
                    return Ok(None);
                }
                waiting.push(at);
                for left in waiting.drain(..) {
                    moves.push(left.arrival_from(state, Some(left.exclusive), std::mem::take(&mut inner)));
                }
                break;
            }
            inner += u32::from(*links > 0);
            *links += 1;
            if self.computation.moves.is_empty() {
                // Blocked: control is given up.
                moves.push(at.arrival_from(state, None, std::mem::take(&mut inner)));
            }
            for &(change, info) in &self.computation.moves {
                let next = flip(&at.state, &change);
                let marks = Marks { progress: at.marks.progress || info.marks.progress };
                match info.exclusive {
                    Some(exclusive) if info.arrives => {
                        if info.problem.is_some() {
                            let inner = std::mem::take(&mut inner);
                            let fails = MoveInfo { exclusive: None, arrives: false, marks, inner, ..info };
                            moves.push(([0; N], fails));
                        }
                        waiting.push(Inside { state: next, exclusive, step: info.step, marks });
                    }
                    _ => {
                        let inner = std::mem::take(&mut inner);
                        moves.push((flip(state, &next), MoveInfo { marks, inner, ..info }));
                    }
                }
            }
        }
        debug_assert_eq!(inner, 0, "after a state inside comes a move");
        Ok(Some(self.keep(&mut knowledge.components, (line, number), state, pid, moves, false)))
    }

    /// Computes the moves of a state inside of a sequence, notes what was touched, and tells whether a rendezvous is offered, whose
    /// partners are asked one by one.
    fn offers_inside(&mut self, knowledge: &mut Knowledge, at: &Inside<N>) -> Result<bool, LayoutIsFull> {
        let shared = self.shared;
        let values = &mut self.computation.values;
        values.decode(&knowledge.components, &self.layout, &at.state);
        let process = &values.state().processes[at.exclusive.0 as usize];
        let at_once = at_once(shared, knowledge, process);
        let partners = if at_once { Partners::All } else { Partners::None };
        let mover = Mover { pid: at.exclusive, timeout: false, partners };
        self.recorder.clear();
        self.computation.run(shared, knowledge, &self.layout, mover, &self.recorder)?;
        let state = self.computation.values.state();
        self.recorder.components(&knowledge.components, state, &mut self.touched);
        self.touched.append(&mut self.computation.changed);
        let mut moves = self.computation.moves.iter();
        Ok(moves.any(|(_, info)| !info.arrives && info.problem.is_none()))
    }
}
