//! Executions that lead to states on disk, by walking back.
//!
//! A state that was found in a round was found from states of the same round or from those that were open before it. So the states of
//! its round come back into memory (they fitted into it once), the open ones of earlier rounds are expanded until they reach it, and the walk
//! goes on from the one that it began with, which is of an earlier round. A state that was suspected wrongly may have been found from any state
//! that was expanded until then.

use super::{Kind, Problem, Run, Search, Successors, Trouble, words};
use crate::explore::breadth::{Found, FoundAt};
use crate::explore::expand::{Direction, Expander, Way};
use crate::packed::layout::Layout;
use crate::report::StopReason;
use std::collections::VecDeque;
use system::clock::Instant;

/// The errors with the ways to them.
pub fn ways<const N: usize>(
    search: &Search<'_, '_>,
    expander: &mut Expander<'_, '_, N>,
) -> Result<Vec<Found>, Trouble> {
    let layout = expander.layout().clone();
    let mut walker = Walker { search, expander, successors: Successors::default(), stopped: None };
    let mut found = Vec::new();
    for problem in &search.found {
        let place = match walker.way(&layout, problem)? {
            Some(directions) => FoundAt::Way(directions),
            None => FoundAt::OutOfReach(walker.stopped.unwrap_or(StopReason::TraceNotConfirmed)),
        };
        found.push(Found { cause: problem.cause, count: problem.count, depth: 0, place });
    }
    Ok(found)
}

struct Walker<'w, 'r, 's, 'a, 'b, const N: usize> {
    search: &'w Search<'r, 's>,
    expander: &'w mut Expander<'a, 'b, N>,
    successors: Successors<N>,
    /// Why there is no way.
    stopped: Option<StopReason>,
}

/// No state of the round leads here.
const NOWHERE: u32 = u32::MAX;

impl<const N: usize> Walker<'_, '_, '_, '_, '_, N> {
    fn way(&mut self, layout: &Layout, problem: &Problem) -> Result<Option<Vec<Direction>>, Trouble> {
        let number = |numbers: &[u32], index: u32| numbers.get(index as usize).copied().unwrap_or(0);
        let initial = self.search.initial_state::<N>(layout);
        let mut chain = vec![layout.pack::<N>(|component| number(&problem.numbers, component.0))];
        while let Some(&first) = chain.first().filter(|&&first| first != initial) {
            let Some(run) = self.run_of(&first)? else { return Ok(None) };
            let before = match run.kind {
                Kind::Late => self.before_late(&first, &run)?,
                Kind::Done | Kind::Open => self.before_in_round(&first, &run)?,
            };
            let Some(before) = before else { return Ok(None) };
            chain.splice(0..0, before);
        }
        let mut directions = Vec::new();
        for pair in chain.windows(2) {
            self.expand(&pair[0]);
            let Some(place) = self.successors.states.iter().position(|state| *state == pair[1]) else {
                return Ok(None);
            };
            directions.push((Way::ExpandFully, place as u32));
        }
        Ok(Some(directions))
    }

    /// The file that holds a state.
    fn run_of(&mut self, wanted: &[u64; N]) -> Result<Option<Run>, Trouble> {
        for run in &self.search.folder.page.runs {
            let mut reader = self.search.read(&run.file)?;
            while let Some(state) = reader.next()? {
                if state >= &wanted[..] {
                    if state == &wanted[..] {
                        return Ok(Some(run.clone()));
                    }
                    break;
                }
            }
        }
        Ok(None)
    }

    /// A state that leads to a late one.
    fn before_late(&mut self, wanted: &[u64; N], late: &Run) -> Result<Option<Vec<[u64; N]>>, Trouble> {
        let mut runs: Vec<&Run> = self.search.folder.page.runs.iter().collect();
        runs.retain(|run| run.round < late.round || (run.round == late.round && run.kind == Kind::Done));
        let mut found = None;
        self.expand_all(runs.into_iter().rev(), |state, successors| {
            found = successors.contains(wanted).then(|| vec![*state]);
            found.is_some()
        })?;
        Ok(found)
    }

    /// The states from one of an earlier round to one of this round, without the last.
    fn before_in_round(&mut self, wanted: &[u64; N], of: &Run) -> Result<Option<Vec<[u64; N]>>, Trouble> {
        let runs = self.search.folder.page.runs.clone();
        let mut round: Vec<[u64; N]> = Vec::new();
        for run in runs.iter().filter(|run| run.round == of.round && run.kind != Kind::Late) {
            let mut reader = self.search.read(&run.file)?;
            while let Some(state) = reader.next()? {
                round.push(words(state));
            }
        }
        round.sort_unstable();
        let place = |state: &[u64; N]| round.binary_search(state).ok();
        let Some(goal) = place(wanted) else { return Ok(None) };
        // By state of the round: the one before it, or, from `round.len()` on, one of the roots.
        let mut parents = vec![NOWHERE; round.len()];
        let mut roots: Vec<[u64; N]> = Vec::new();
        let mut queue: VecDeque<u32> = VecDeque::new();
        let earlier = runs.iter().filter(|run| run.round < of.round && run.kind != Kind::Done);
        let in_time = self.expand_all(earlier, |state, successors| {
            let mut is_root = false;
            for next in successors.iter().filter_map(place) {
                if parents[next] == NOWHERE {
                    parents[next] = (round.len() + roots.len()) as u32;
                    queue.push_back(next as u32);
                    is_root = true;
                }
            }
            roots.extend(is_root.then_some(*state));
            parents[goal] != NOWHERE
        })?;
        if !in_time {
            return Ok(None);
        }
        while parents[goal] == NOWHERE
            && let Some(from) = queue.pop_front()
        {
            if self.is_over() {
                return Ok(None);
            }
            self.expand(&round[from as usize]);
            for next in self.successors.states.iter().filter_map(place) {
                if parents[next] == NOWHERE {
                    parents[next] = from;
                    queue.push_back(next as u32);
                }
            }
        }
        let mut chain = Vec::new();
        let mut at = goal;
        loop {
            let parent = parents[at];
            if parent == NOWHERE {
                return Ok(None);
            }
            match (parent as usize).checked_sub(round.len()) {
                Some(root) => {
                    chain.push(roots[root]);
                    break;
                }
                None => {
                    chain.push(round[parent as usize]);
                    at = parent as usize;
                }
            }
        }
        chain.reverse();
        Ok(Some(chain))
    }

    /// Expands the states of runs one after another until `visit`, which is told their successors, says that it is enough. False if the time
    /// is over before.
    fn expand_all<'f>(
        &mut self,
        runs: impl Iterator<Item = &'f Run>,
        mut visit: impl FnMut(&[u64; N], &[[u64; N]]) -> bool,
    ) -> Result<bool, Trouble> {
        for run in runs {
            let mut reader = self.search.read(&run.file)?;
            while let Some(state) = reader.next()? {
                let state = words::<N>(state);
                if self.is_over() {
                    return Ok(false);
                }
                self.expand(&state);
                if visit(&state, &self.successors.states) {
                    return Ok(true);
                }
            }
        }
        Ok(true)
    }

    fn expand(&mut self, state: &[u64; N]) {
        self.successors.clear();
        // All values are known by now; where one does not fit nothing is found, and nothing is claimed.
        if self.expander.expand_fully(state, &mut self.successors).is_err() {
            self.successors.clear();
        }
    }

    fn is_over(&mut self) -> bool {
        if self.search.control.is_cancelled() {
            self.stopped = Some(StopReason::Cancelled);
        } else if self.search.limits.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            self.stopped = Some(StopReason::Deadline);
        }
        self.stopped.is_some()
    }
}
