//! Weak fairness as acceptance sets, one for each process.
//!
//! A run is weakly fair if no process can move at every moment from some point on without ever moving. So in a cycle each process moves, or
//! somewhere it cannot; and that is to say that the cycle belongs to one acceptance set for each process: the edges on which it moves, and those that
//! leave a state in which it cannot. The search for components with edges of all sets then needs no other product, no copies of it (as the
//! flag construction of Choueka has, which SPIN uses) and nothing that is computed afterwards. A process that is not there cannot move, so sets of numbers that nobody has
//! are never missed.

use crate::cycles::product::{SystemMoves, Trouble};
use crate::explore::expand::{Arrival, Expander};
use crate::monitor::Monitor;
use system::interpreter::Step;

/// Who moves, and who can.
pub(super) struct Movers {
    /// The first set that is a process's.
    first_set: u32,
    /// For each of a state's moves, in their order: the sets of those who take part.
    pub(super) acted: Vec<u64>,
}

impl Movers {
    /// Sets behind those of a monitor.
    pub(super) fn beside(monitor: &Monitor) -> Movers {
        Movers { first_set: monitor.acceptance_sets, acted: Vec::new() }
    }

    /// The sets of all processes.
    pub(super) fn all(&self) -> u64 {
        u64::MAX << self.first_set
    }

    /// Notes who takes part in each of a state's moves. Gives the sets of those who cannot move: who takes part in no first step of a move. The log of the
    /// moves must have been kept.
    pub(super) fn watch<const N: usize>(
        &mut self,
        expander: &Expander<'_, '_, N>,
        moves: &SystemMoves<N>,
    ) -> Result<u64, Trouble> {
        self.acted.clear();
        let mut able = 0;
        for &(_, arrival) in &moves.states {
            let (acted, first) = self.participants(expander, arrival)?;
            self.acted.push(acted);
            able |= first;
        }
        // Who can make a step that fails can move.
        for &arrival in &moves.failing {
            able |= self.participants(expander, arrival)?.1;
        }
        Ok(self.all() & !able)
    }

    /// The sets of all who take part in the steps to an arrival, and of those in the first of them.
    fn participants<const N: usize>(
        &self,
        expander: &Expander<'_, '_, N>,
        arrival: Arrival,
    ) -> Result<(u64, u64), Trouble> {
        let (mut acted, mut first, mut fits) = (0, 0, true);
        expander.visit_steps_back(arrival, &mut |step: Step| {
            let partner = step.partner.map(|partner| partner.process);
            first = 0;
            for pid in [Some(step.process), partner].into_iter().flatten() {
                let set = pid.0.checked_add(self.first_set).and_then(|set| 1u64.checked_shl(set));
                fits &= set.is_some();
                first |= set.unwrap_or(0);
            }
            acted |= first;
        });
        if fits { Ok((acted, first)) } else { Err(Trouble::TooManyProcesses) }
    }
}
