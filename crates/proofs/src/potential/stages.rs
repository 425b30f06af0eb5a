//! One part at a time: trees of potentials (they replace the two-way splits of Ciclo, section VII-B).
//!
//! A loop of the whole system stays within one strongly connected part of each component that has one token. So: take away the
//! transitions that no loop contains (a potential makes each of them less), split what is left of one component into its parts,
//! and show for each of them on its own that no loop is left. Only for components with one token (trap 3), and only for
//! questions about all buffers together or about progress (trap 2).

use certificate::potential::Blocked;

use crate::net::{ComponentId, Counted, Net, Tokens, TransitionId};
use crate::potential::{Potential, least_core};

/// A potential, and what is left to be shown after it.
#[derive(Clone, Debug)]
pub struct Stage {
    /// No allowed transition increases it; those that decrease it are allowed no longer.
    pub potential: Potential,
    /// The rest.
    pub next: Next,
}

/// What follows a stage.
#[derive(Clone, Debug)]
pub enum Next {
    /// Nothing is left.
    Closed,
    /// One stage for each part of the component.
    Split {
        /// The component.
        component: ComponentId,
        /// In the order of the parts' least nodes.
        parts: Vec<Stage>,
    },
    /// The processes of the components take no part and are not all blocked: that is not fair.
    Idle {
        /// The components.
        components: Vec<ComponentId>,
        /// Why they are not blocked.
        blocked: Blocked,
    },
    /// The process of the component takes no part, and strong fairness allows what lets it move only finitely often.
    Starved {
        /// The component.
        component: ComponentId,
        /// One stage for each of its nodes in which it may be blocked.
        parts: Vec<Stage>,
    },
}

/// What is to be excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Loops that leave messages behind.
    Bounded,
    /// Loops of transitions that are no progress.
    Progress,
    /// Loops with transitions of every acceptance set.
    Accepted,
}

/// Components whose processes take no part, and why they are not blocked.
pub type Idle = (Vec<ComponentId>, Blocked);

/// A component whose process takes no part, and what is left for each of the places where it may wait.
pub type Starved = (ComponentId, Vec<Vec<bool>>);

/// What makes a loop one that a formula forbids.
pub struct Accepting<'a> {
    /// For each transition its acceptance sets, as bits.
    pub accepted: &'a [u32],
    /// How many sets there are.
    pub sets: u32,
    /// Somebody whom fairness would oblige to take part in what is allowed, and why.
    pub idle: &'a dyn Fn(&[bool]) -> Option<Idle>,
    /// Those who take no part although something lets them move; for each of the places where they may wait what is left of what is allowed.
    pub starved: &'a dyn Fn(&[bool]) -> Vec<Starved>,
}

/// Why there is no tree.
#[derive(Clone, Debug)]
pub enum NoTree {
    /// These transitions are left in some part and cannot be told apart further.
    Core(Vec<TransitionId>),
    /// The limit on stages was reached, or the solver was stopped.
    Stopped,
}

/// Looks for a tree with at most `budget` stages.
pub fn find_tree(
    net: &Net,
    goal: Goal,
    one_token: &dyn Fn(ComponentId) -> bool,
    budget: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<Stage, NoTree> {
    let allowed =
        net.transitions.iter().map(|transition| goal == Goal::Bounded || !transition.progress).collect();
    let settled = net.counters.iter().map(|counter| net.is_settled(counter)).collect();
    Search { net, goal, accepting: None, one_token, budget, cancelled }.stage(allowed, settled)
}

/// The same against loops that are accepted, of the transitions that are allowed.
pub fn find_accepting_tree(
    net: &Net,
    accepting: &Accepting<'_>,
    allowed: Vec<bool>,
    one_token: &dyn Fn(ComponentId) -> bool,
    budget: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<Stage, NoTree> {
    let settled = net.counters.iter().map(|counter| net.is_settled(counter)).collect();
    let goal = Goal::Accepted;
    Search { net, goal, accepting: Some(accepting), one_token, budget, cancelled }.stage(allowed, settled)
}

struct Search<'a> {
    net: &'a Net,
    goal: Goal,
    accepting: Option<&'a Accepting<'a>>,
    one_token: &'a dyn Fn(ComponentId) -> bool,
    budget: usize,
    cancelled: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    fn stage(&mut self, mut allowed: Vec<bool>, mut settled: Vec<bool>) -> Result<Stage, NoTree> {
        self.budget = self.budget.checked_sub(1).ok_or(NoTree::Stopped)?;
        let net = self.net;
        let is_message = |counter: &crate::net::Counter| matches!(counter.counted, Counted::Messages(_));
        let wanted: Vec<bool> =
            net.counters.iter().map(|counter| self.goal == Goal::Bounded && is_message(counter)).collect();
        drop_lonely_halves(net, &mut allowed);
        let potential =
            least_core(net, &allowed, &settled, &wanted, self.cancelled).ok_or(NoTree::Stopped)?;
        for (id, _) in net.transition_ids() {
            let index = id.0 as usize;
            allowed[index] = allowed[index] && potential.change(net, id) == 0;
        }
        drop_lonely_halves(net, &mut allowed);
        for (index, counter) in net.counters.iter().enumerate() {
            settled[index] |= is_message(counter) && potential.weights[index] > 0;
        }
        let closed = match self.goal {
            Goal::Bounded => {
                net.counters.iter().zip(&settled).all(|(counter, &settled)| settled || !is_message(counter))
            }
            Goal::Progress => allowed.iter().all(|&allowed| !allowed),
            Goal::Accepted => self.accepting.is_some_and(|accepting| accepting.misses_one(&allowed)),
        };
        if closed {
            return Ok(Stage { potential, next: Next::Closed });
        }
        if let Some((components, blocked)) = self.accepting.and_then(|accepting| (accepting.idle)(&allowed)) {
            return Ok(Stage { potential, next: Next::Idle { components, blocked } });
        }
        let starved = self.accepting.map_or_else(Vec::new, |accepting| (accepting.starved)(&allowed));
        for (component, places) in starved {
            let parts = places.into_iter().map(|place| self.stage(place, settled.clone()));
            if let Ok(parts) = parts.collect::<Result<Vec<Stage>, NoTree>>() {
                return Ok(Stage { potential, next: Next::Starved { component, parts } });
            }
        }
        let Some((component, parts)) = self.component_to_split(&allowed) else {
            return Err(NoTree::Core(core(&allowed)));
        };
        let mut stages = Vec::with_capacity(parts.len());
        for part in parts {
            let within: Vec<bool> = net
                .transitions
                .iter()
                .zip(&allowed)
                .map(|(transition, &allowed)| {
                    allowed
                        && transition.moves.iter().filter(|step| step.component == component).all(|step| {
                            [step.from, step.to]
                                .into_iter()
                                .all(|node| node.is_some_and(|node| part.contains(&node.0)))
                        })
                })
                .collect();
            stages.push(self.stage(within, settled.clone())?);
        }
        Ok(Stage { potential, next: Next::Split { component, parts: stages } })
    }

    /// The component with the fewest parts, of those that have several; parts without a transition inside do not count.
    fn component_to_split(&self, allowed: &[bool]) -> Option<(ComponentId, Vec<Vec<u32>>)> {
        let mut best: Option<(ComponentId, Vec<Vec<u32>>)> = None;
        for (index, component) in self.net.components.iter().enumerate() {
            let id = ComponentId(index as u32);
            if component.tokens != Tokens::AtMostOne && !(self.one_token)(id) {
                continue;
            }
            let parts = parts_of(self.net, id, allowed);
            if parts.len() >= 2 && best.as_ref().is_none_or(|(_, fewest)| parts.len() < fewest.len()) {
                best = Some((id, parts));
            }
        }
        best
    }
}

impl Accepting<'_> {
    /// Whether the allowed transitions have none of some acceptance set.
    fn misses_one(&self, allowed: &[bool]) -> bool {
        let accepted = self.accepted.iter().zip(allowed).filter(|(_, allowed)| **allowed);
        let seen = accepted.fold(0, |bits, (accepted, _)| bits | accepted);
        (0..self.sets).any(|set| seen >> set & 1 == 0)
    }
}

fn core(allowed: &[bool]) -> Vec<TransitionId> {
    (0..allowed.len()).filter(|&index| allowed[index]).map(|index| TransitionId(index as u32)).collect()
}

/// A half of a rendezvous whose other halves are all gone cannot happen either.
fn drop_lonely_halves(net: &Net, allowed: &mut [bool]) {
    loop {
        let mut sends = vec![false; net.counters.len()];
        let mut receives = vec![false; net.counters.len()];
        for (transition, _) in net.transitions.iter().zip(allowed.iter()).filter(|(_, allowed)| **allowed) {
            for &(counter, by) in &transition.effect {
                let seen = if by > 0 { &mut sends } else { &mut receives };
                seen[counter.0 as usize] = true;
            }
        }
        let mut dropped = false;
        for (transition, allowed) in
            net.transitions.iter().zip(allowed.iter_mut()).filter(|(_, allowed)| **allowed)
        {
            let lonely = transition.effect.iter().any(|&(counter, by)| {
                net.counters[counter.0 as usize].counted == Counted::Handshake
                    && !(if by > 0 { &receives } else { &sends })[counter.0 as usize]
            });
            if lonely {
                *allowed = false;
                dropped = true;
            }
        }
        if !dropped {
            return;
        }
    }
}

/// The strongly connected parts of a component that have an allowed transition inside, in the order of their least nodes; the
/// nodes of each in order.
pub fn parts_of(net: &Net, component: ComponentId, allowed: &[bool]) -> Vec<Vec<u32>> {
    let nodes = net.components[component.0 as usize].nodes as usize;
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    let mut moved: Vec<(u32, u32)> = Vec::new();
    for (transition, _) in net.transitions.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
        for step in transition.moves.iter().filter(|step| step.component == component) {
            if let (Some(from), Some(to)) = (step.from, step.to) {
                successors[from.0 as usize].push(to.0);
                moved.push((from.0, to.0));
            }
        }
    }
    let part = strongly_connected(&successors);
    let count = part.iter().copied().max().map_or(0, |most| most as usize + 1);
    let mut inside = vec![false; count];
    for (from, to) in moved {
        if part[from as usize] == part[to as usize] {
            inside[part[from as usize] as usize] = true;
        }
    }
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (node, &part) in part.iter().enumerate() {
        parts[part as usize].push(node as u32);
    }
    let mut parts: Vec<Vec<u32>> =
        parts.into_iter().zip(inside).filter(|(_, inside)| *inside).map(|(part, _)| part).collect();
    parts.sort_unstable();
    parts
}

/// The number of the strongly connected component of each node (Tarjan, without recursion).
pub fn strongly_connected(successors: &[Vec<u32>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = successors.len();
    let mut order = vec![NONE; count];
    let mut low = vec![0u32; count];
    let mut component = vec![NONE; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, usize)> = Vec::new();
    let mut next_order = 0;
    let mut next_component = 0;
    for root in 0..count as u32 {
        if order[root as usize] != NONE {
            continue;
        }
        calls.push((root, 0));
        while let Some(&mut (node, ref mut position)) = calls.last_mut() {
            let index = node as usize;
            if *position == 0 {
                order[index] = next_order;
                low[index] = next_order;
                next_order += 1;
                stack.push(node);
            }
            if let Some(&successor) = successors[index].get(*position) {
                *position += 1;
                let other = successor as usize;
                if order[other] == NONE {
                    calls.push((successor, 0));
                } else if component[other] == NONE {
                    low[index] = low[index].min(order[other]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[index]);
            }
            if low[index] == order[index] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strongly_connected_components_are_the_mutually_reachable_nodes() {
        let part = strongly_connected(&[vec![1], vec![2, 3], vec![0], vec![4], vec![3], vec![]]);
        assert_eq!(part[0], part[1]);
        assert_eq!(part[1], part[2]);
        assert_eq!(part[3], part[4]);
        assert_ne!(part[0], part[3]);
        assert_ne!(part[5], part[3]);
    }
}
