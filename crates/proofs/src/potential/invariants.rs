//! Values that occur in no run although no single statement shows it.
//!
//! Search sees a variable with few values, but the value analysis must allow more: a sender's credits grow with each credit that comes
//! back, and only that credits are conserved keeps them below their limit. So the values that were seen are *guessed* to be all of them
//! ([`crate::values::world::Tracking::guesses`]); what would lead to another value is an [`Exit`], and for each exit there must be a potential
//! that no other transition increases and by which the node of the exit (with the message that it takes) weighs more than there
//! is at the start. The guess and all potentials together are one invariant, so each potential may rely on every other; see "Linear invariants" in
//! [`certificate::claims`].

use certificate::verdict::StopReason;

use crate::net::build::Abstraction;
use crate::net::{ComponentId, CounterId, Net, NodeId, Transition};
use crate::potential::{Answer, Potential, find_exclusion};

/// A statement that would leave the guessed values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Exit {
    /// Whose token.
    pub component: ComponentId,
    /// Where it stands.
    pub node: NodeId,
    /// What it takes.
    pub taken: Option<CounterId>,
}

/// Potentials that exclude every exit; what they exclude is taken out of the net. `Err` if some exit may be real.
pub fn exclude_exits(
    abstraction: &mut Abstraction,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Potential>, StopReason> {
    let net = &abstraction.net;
    let mut invariants: Vec<Potential> = Vec::new();
    let mut active = vec![true; net.transitions.len()];
    let mut open: Vec<Exit> = abstraction.exits.iter().copied().collect();
    while !open.is_empty() {
        let before = invariants.len();
        let mut left = Vec::new();
        for exit in open {
            if invariants.iter().any(|invariant| excludes(net, invariant, exit)) {
                continue;
            }
            match find_exclusion(net, &active, exit, cancelled) {
                Answer::Found(invariant) => {
                    for (active, transition) in active.iter_mut().zip(&net.transitions) {
                        *active &=
                            !source(transition).is_some_and(|source| excludes(net, &invariant, source));
                    }
                    invariants.push(invariant);
                }
                Answer::None(_) => left.push(exit),
                Answer::Stopped => return Err(StopReason::Cancelled),
            }
        }
        // A new potential takes transitions out of the net, which may help with the exits that are left.
        if !left.is_empty() && invariants.len() == before {
            return Err(StopReason::RefinementsExhausted);
        }
        open = left;
    }
    let mut active = active.into_iter();
    abstraction.net.transitions.retain(|_| active.next().unwrap_or(true));
    Ok(invariants)
}

/// The process that executes a transition, and what it takes.
fn source(transition: &Transition) -> Option<Exit> {
    let own = transition.moves.first()?;
    let taken = transition.effect.iter().find(|(_, by)| *by < 0).map(|(counter, _)| *counter);
    Some(Exit { component: own.component, node: own.from?, taken })
}

fn excludes(net: &Net, invariant: &Potential, exit: Exit) -> bool {
    let node = i128::from(invariant.nodes[exit.component.0 as usize][exit.node.0 as usize]);
    let taken = exit.taken.filter(|counter| net.counts_messages(*counter));
    let message = taken.map_or(0, |counter| i128::from(invariant.weights[counter.0 as usize]));
    node + message > invariant.initial_total(net)
}
