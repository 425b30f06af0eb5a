//! Which states a reduced search must expand in full so that no cycle puts a move off.
//!
//! A depth-first search of the system alone, without any formula: where a move of an ample set leads back to the execution so far, the
//! state is expanded in full. Every cycle of the reduced graph has such a move, so every cycle has such a state. What is done with
//! each state is known afterwards and is the same whatever automaton the graph is then combined with (see [`crate::reduce`] for why that
//! matters).

use crate::budget::Account;
use crate::cycles::product::Trouble;
use crate::explore::expand::{Arrival, Expander, Expansion, LayoutIsFull, Sink};
use crate::packed::nodes::{CLOSED, Nodes};
use crate::report::StopReason;
use foldhash::quality::FixedState;
use std::collections::HashSet;

/// A set of packed states.
pub type States<const N: usize> = HashSet<[u64; N], FixedState>;

/// States between two looks at the clock.
const A_WHILE: usize = 4096;

/// The states that must be expanded in full although some moves seem to be enough. `reason_to_stop` is asked now and then, with the number of
/// states.
pub fn to_expand_fully<const N: usize>(
    expander: &mut Expander<'_, '_, N>,
    initial: [u64; N],
    reason_to_stop: &dyn Fn(usize) -> Option<StopReason>,
) -> Result<States<N>, Trouble> {
    let mut visited = Nodes::<N>::new(expander.budget());
    let account = Account::new(expander.budget());
    let mut in_full = States::default();
    let mut targets = Targets(Vec::new());
    // Where the targets of each state of the execution begin, and which is the next.
    let mut execution: Vec<(usize, usize)> = Vec::new();
    let mut next = Some(initial);
    let mut since_check = 0;
    loop {
        if let Some(state) = next.take() {
            visited.add(&(state, 0));
            let begin = targets.0.len();
            let full = |LayoutIsFull| Trouble::LayoutIsFull;
            if expander.expand(&state, &mut targets).map_err(full)? == Expansion::Reduced {
                let leads_back =
                    |target: &[u64; N]| visited.order(&(*target, 0)).is_some_and(|order| order != CLOSED);
                if targets.0[begin..].iter().any(leads_back) {
                    in_full.insert(state);
                    targets.0.truncate(begin);
                    expander.expand_fully(&state, &mut targets).map_err(full)?;
                }
            }
            execution.push((begin, begin));
            since_check += 1;
            if since_check == A_WHILE {
                since_check = 0;
                account.set(bytes_of(&in_full) + targets.0.capacity() * 8 * N + execution.capacity() * 16);
                if let Some(reason) = reason_to_stop(visited.len()) {
                    return Err(Trouble::Stopped(reason));
                }
            }
        }
        let Some((begin, at)) = execution.last_mut() else { return Ok(in_full) };
        if *at == targets.0.len() {
            targets.0.truncate(*begin);
            execution.pop();
            visited.close_from(execution.len() as u32);
        } else {
            let target = targets.0[*at];
            *at += 1;
            next = visited.order(&(target, 0)).is_none().then_some(target);
        }
    }
}

/// Bytes of a set of states, also while it is copied to a larger place.
pub fn bytes_of<const N: usize>(states: &States<N>) -> usize {
    3 * states.capacity() * (8 * N + 1) * 8 / 7
}

struct Targets<const N: usize>(Vec<[u64; N]>);

impl<const N: usize> Sink<N> for Targets<N> {
    const NEEDS_MARKS: bool = false;

    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        self.0.push(state);
    }

    fn problem(&mut self, _cause: u32, _arrival: Option<Arrival>) {}
}
