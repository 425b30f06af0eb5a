//! Potentials for weights that are given: the least values of the nodes, without a linear program.
//!
//! For fixed weights each transition that moves a token away from one node says that the node's value is at least the sum
//! of the values where tokens arrive, and of what the transition puts less what it takes. The least values that satisfy all of this
//! are a fixed point that is reached from below; if there is none, they grow for ever, and the work is given up after a while. One pass over the
//! transitions is often enough, where a linear program takes time that grows with the square of their number.

use std::collections::BTreeSet;

use crate::net::{Counted, Net, TransitionId};
use crate::potential::{Potential, Question};

/// Updates of a node, on average, before values are said to grow for ever.
const UPDATES_OF_A_NODE: usize = 40;
/// No value beyond this.
const LARGEST_VALUE: i64 = 1 << 40;

/// The potential with the least values of nodes for the simplest weights that a question allows: one for what is asked for, nothing for
/// everything else. `None` does not mean that there is no potential.
pub fn guess(net: &Net, active: &[TransitionId], question: Question) -> Option<Potential> {
    let asked = |counted: Counted| match (question, counted) {
        (Question::AllBuffers, Counted::Messages(_)) => 1,
        (Question::Starts(component), Counted::Starts(own)) if own == component => 1,
        _ => 0,
    };
    let decrease = match question {
        Question::AllBuffers | Question::Starts(_) => 0,
        Question::Termination => 1,
        Question::OneBuffer(_)
        | Question::OneBufferAfter(..)
        | Question::Number(_)
        | Question::NeverThere(_) => return None,
    };
    let weights = net.counters.iter().map(|counter| asked(counter.counted)).collect();
    least_values(net, active, weights, decrease)
}

/// A transition as a demand on the node that it leaves.
struct Demand {
    from: usize,
    /// Nodes whose values are asked for.
    arrivals: Vec<usize>,
    constant: i64,
}

fn least_values(net: &Net, active: &[TransitionId], weights: Vec<i64>, decrease: i64) -> Option<Potential> {
    let mut first = Vec::with_capacity(net.components.len());
    let mut total = 0;
    for component in &net.components {
        first.push(total);
        total += component.nodes as usize;
    }
    let mut demands = Vec::with_capacity(active.len());
    let mut asked_by: Vec<Vec<u32>> = vec![Vec::new(); total];
    let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); total];
    for &id in active {
        let transition = net.transition(id);
        let position = |component: u32, node: u32| first[component as usize] + node as usize;
        let mut from = None;
        let mut arrivals = Vec::new();
        for step in &transition.moves {
            if let Some(node) = step.from
                && from.replace(position(step.component.0, node.0)).is_some()
            {
                // Two nodes would have to share what is demanded.
                return None;
            }
            arrivals.extend(step.to.map(|node| position(step.component.0, node.0)));
        }
        let from = from?;
        let effect =
            transition.effect.iter().map(|(counter, by)| i64::from(*by) * weights[counter.0 as usize]);
        let index = demands.len() as u32;
        leaving[from].push(index);
        arrivals.iter().for_each(|&node| asked_by[node].push(index));
        demands.push(Demand { from, arrivals, constant: effect.sum::<i64>() + decrease });
    }
    // Nodes are numbered as they were reached, so the last ones first: what they need is known when it is asked for.
    let mut values = vec![0i64; total];
    let mut open: BTreeSet<usize> = (0..total).collect();
    let mut updates = 0;
    while let Some(node) = open.pop_last() {
        let wanted = leaving[node].iter().map(|&index| {
            let demand = &demands[index as usize];
            demand.arrivals.iter().map(|&arrival| values[arrival]).sum::<i64>() + demand.constant
        });
        let wanted = wanted.max().unwrap_or(0);
        if wanted <= values[node] {
            continue;
        }
        values[node] = wanted;
        updates += 1;
        if updates > UPDATES_OF_A_NODE.saturating_mul(total) || wanted > LARGEST_VALUE {
            return None;
        }
        open.extend(asked_by[node].iter().map(|&index| demands[index as usize].from));
    }
    let mut rest = values.into_iter();
    let nodes = net
        .components
        .iter()
        .map(|component| rest.by_ref().take(component.nodes as usize).collect())
        .collect();
    Some(Potential { weights, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{
        BufferId, Component, ComponentId, Counter, CounterId, Move, NodeId, Tokens, Transition,
    };

    /// One component with these transitions: from, to, and what is added to the only counter.
    fn net(nodes: u32, transitions: &[(u32, u32, i32)]) -> Net {
        let component = ComponentId(0);
        let transitions = transitions.iter().map(|&(from, to, by)| Transition {
            moves: vec![Move { component, from: Some(NodeId(from)), to: Some(NodeId(to)) }],
            effect: if by == 0 { Vec::new() } else { vec![(CounterId(0), by)] },
            progress: false,
            origin: 0,
        });
        Net {
            components: vec![Component {
                name: "process".into(),
                nodes,
                initial: vec![(NodeId(0), 1)],
                tokens: Tokens::AtMostOne,
            }],
            counters: vec![Counter { counted: Counted::Messages(BufferId(0)), initial: 0 }],
            transitions: transitions.collect(),
            ..Net::default()
        }
    }

    fn all(net: &Net) -> Vec<TransitionId> {
        net.transition_ids().map(|(id, _)| id).collect()
    }

    #[test]
    fn values_are_what_may_still_be_sent() {
        let net = net(4, &[(0, 1, 1), (1, 2, 1), (2, 1, -1), (0, 3, 0)]);
        let potential =
            guess(&net, &all(&net), Question::AllBuffers).expect("what is sent in the loop is taken");
        assert_eq!(potential.nodes, [vec![2, 1, 0, 0]]);
        assert_eq!(potential.bound_of(&net, BufferId(0)), Some(2));
        assert!(all(&net).into_iter().all(|id| potential.change(&net, id) <= 0));
    }

    #[test]
    fn a_loop_that_only_sends_has_no_values() {
        let net = net(2, &[(0, 1, 1), (1, 0, 0)]);
        assert_eq!(guess(&net, &all(&net), Question::AllBuffers), None);
    }

    #[test]
    fn what_ends_has_as_many_steps_left_as_its_longest_way() {
        let net = net(3, &[(0, 1, 0), (1, 2, 0), (0, 2, 0)]);
        let potential = guess(&net, &all(&net), Question::Termination).expect("it ends");
        assert_eq!(potential.nodes, [vec![2, 1, 0]]);
    }

    #[test]
    fn whoever_starts_others_pays_for_what_they_may_send() {
        let mut net = net(2, &[(0, 1, 0)]);
        let child = ComponentId(1);
        net.components.push(Component {
            name: "child".into(),
            nodes: 2,
            initial: vec![],
            tokens: Tokens::Any,
        });
        net.transitions[0].moves.push(Move { component: child, from: None, to: Some(NodeId(0)) });
        net.transitions.push(Transition {
            moves: vec![Move { component: child, from: Some(NodeId(0)), to: Some(NodeId(1)) }],
            effect: vec![(CounterId(0), 1)],
            progress: false,
            origin: 0,
        });
        let potential = guess(&net, &all(&net), Question::AllBuffers).expect("one message is sent");
        assert_eq!(potential.nodes, [vec![1, 0], vec![1, 0]]);
    }
}
