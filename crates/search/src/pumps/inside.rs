//! Runs that stay in the middle of an `atomic` sequence for ever. Packed moves are whole sequences, so no move shows such a run: here the
//! statements of a sequence are steps of their own.

use crate::explore::witness::components;
use std::collections::{HashMap, VecDeque};
use system::interpreter::{Interpreter, Step};
use system::progress::ProgressStatements;
use system::state::State;

/// What happens inside of sequences that begin in some state.
pub enum Inside {
    /// Steps from that state on that come round without a marked statement.
    Lasso {
        /// The way there and round.
        steps: Vec<Step>,
        /// Where the round begins.
        loop_start: usize,
    },
    /// No such round.
    Nothing,
    /// More states than were allowed.
    TooLarge,
}

/// Looks for steps that go round without progress before a sequence gives way, among so many states.
pub fn look(
    interpreter: &Interpreter<'_>,
    start: &State,
    marked: &ProgressStatements,
    most_states: usize,
) -> Inside {
    let mut graph = Graph { states: vec![start.clone()], ..Graph::default() };
    let mut next = 0;
    while next < graph.states.len() {
        graph.expand(interpreter, marked, next);
        if graph.states.len() > most_states {
            return Inside::TooLarge;
        }
        next += 1;
    }
    graph.round().unwrap_or(Inside::Nothing)
}

/// The states inside of sequences, and the one before.
#[derive(Default)]
struct Graph {
    states: Vec<State>,
    numbers: HashMap<State, usize>,
    moves: Vec<Move>,
}

struct Move {
    from: usize,
    to: usize,
    step: Step,
    is_progress: bool,
}

impl Graph {
    /// Adds the moves of a state. One that ends in an error does not go on for ever.
    fn expand(&mut self, interpreter: &Interpreter<'_>, marked: &ProgressStatements, from: usize) {
        let before = self.states[from].clone();
        let mut steps = Vec::new();
        interpreter.steps_beside_errors(&before, &mut steps);
        // Where whoever is inside cannot go on, the sequence gives way.
        steps.retain(|step| from == 0 || before.exclusive == Some(step.process));
        for step in steps {
            let mut after = before.clone();
            let executed = interpreter.execute(&mut after, step, &(), &mut ());
            if executed.is_err() || after.exclusive.is_none() {
                continue;
            }
            let is_progress = marked.is_made_by(interpreter, &before, step);
            let new = self.states.len();
            let to = *self.numbers.entry(after.clone()).or_insert(new);
            if to == new {
                self.states.push(after);
            }
            self.moves.push(Move { from, to, step, is_progress });
        }
    }

    /// A round without progress, and the way there.
    fn round(&self) -> Option<Inside> {
        let without_progress = self.outgoing(|each| !each.is_progress);
        let component = components(&without_progress);
        let is_inside = |each: &&Move| !each.is_progress && component[each.from] == component[each.to];
        let first = self.moves.iter().find(is_inside)?;
        let mut steps = self.way(&self.outgoing(|_| true), 0, first.from)?;
        let loop_start = steps.len();
        steps.push(first.step);
        steps.extend(self.way(&without_progress, first.to, first.from)?);
        Some(Inside::Lasso { steps, loop_start })
    }

    /// From each state where to, and by which move.
    fn outgoing(&self, is_meant: impl Fn(&Move) -> bool) -> Vec<Vec<(usize, u32)>> {
        let mut outgoing = vec![Vec::new(); self.states.len()];
        for (index, each) in self.moves.iter().enumerate().filter(|(_, each)| is_meant(each)) {
            outgoing[each.from].push((each.to, index as u32));
        }
        outgoing
    }

    /// The shortest way from one state to another.
    fn way(&self, outgoing: &[Vec<(usize, u32)>], from: usize, to: usize) -> Option<Vec<Step>> {
        let mut came: HashMap<usize, &Move> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front().filter(|&at| at != to) {
            for &(next, index) in &outgoing[at] {
                if next != from && !came.contains_key(&next) {
                    came.insert(next, &self.moves[index as usize]);
                    queue.push_back(next);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        while at != from {
            let each = came.get(&at)?;
            steps.push(each.step);
            at = each.from;
        }
        steps.reverse();
        Some(steps)
    }
}
