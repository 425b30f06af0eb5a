//! A suspicious flow for people and for the search: elementary cycles with multiplicities, and the statements that they use.

use std::collections::{BTreeMap, BTreeSet};

use system::automaton::{AutomatonId, EdgeId};

use crate::board::SuspiciousCycle;
use crate::net::TransitionId;
use crate::refine::attempt::Attempt;

/// The statements that the flow uses.
pub fn statements_of(attempt: &Attempt<'_>, flow: &[(TransitionId, i64)]) -> BTreeSet<(AutomatonId, EdgeId)> {
    let statement = |&(id, _): &(TransitionId, i64)| {
        let origin = attempt.abstraction.origins[attempt.abstraction.net.transition(id).origin as usize];
        (attempt.analysis.world.group(origin.group).automaton, origin.edge)
    };
    flow.iter().map(statement).collect()
}

/// The flow as elementary cycles of the components: each is walked until it closes, taken out as often as it goes, and so on.
pub fn cycles_of(attempt: &Attempt<'_>, flow: &[(TransitionId, i64)]) -> Vec<SuspiciousCycle> {
    let net = &attempt.abstraction.net;
    // Left of the flow, by component and node: where to, how often, by which transition.
    type Arcs = BTreeMap<u32, Vec<(u32, i64, TransitionId)>>;
    let mut components: BTreeMap<u32, Arcs> = BTreeMap::new();
    for &(id, times) in flow {
        let groups = attempt.analysis.world.groups.len() as u32;
        for step in net.transition(id).moves.iter().filter(|step| step.component.0 < groups) {
            if let (Some(from), Some(to)) = (step.from, step.to) {
                components
                    .entry(step.component.0)
                    .or_default()
                    .entry(from.0)
                    .or_default()
                    .push((to.0, times, id));
            }
        }
    }
    let mut cycles = Vec::new();
    for (component, mut arcs) in components {
        while let Some((&start, _)) = arcs.iter().find(|(_, arcs)| !arcs.is_empty()) {
            let mut path: Vec<(u32, usize)> = Vec::new();
            let mut at = start;
            let closes = loop {
                if let Some(position) = path.iter().position(|&(node, _)| node == at) {
                    break Some(position);
                }
                match arcs.get(&at).and_then(|leaving| leaving.len().checked_sub(1)) {
                    Some(choice) => {
                        path.push((at, choice));
                        at = arcs[&at][choice].0;
                    }
                    None => break None,
                }
            };
            let Some(closes) = closes else {
                // Tokens that come and go leave a path: take its last arc away.
                if let Some((node, choice)) = path.last()
                    && let Some(leaving) = arcs.get_mut(node)
                {
                    leaving.remove(*choice);
                }
                continue;
            };
            let cycle = path.split_off(closes);
            let times = cycle.iter().map(|(node, choice)| arcs[node][*choice].1).min().unwrap_or(0);
            let mut statements = Vec::new();
            for (node, choice) in &cycle {
                let (_, left, id) = arcs[node][*choice];
                statements.push(statement(attempt, id));
                if let Some(leaving) = arcs.get_mut(node) {
                    if left == times {
                        leaving.remove(*choice);
                    } else {
                        leaving[*choice].1 -= times;
                    }
                }
            }
            cycles.push(SuspiciousCycle {
                process: net.components[component as usize].name.clone(),
                statements,
                times,
            });
        }
    }
    cycles
}

fn statement(attempt: &Attempt<'_>, id: TransitionId) -> (String, u32) {
    let origin = attempt.abstraction.origins[attempt.abstraction.net.transition(id).origin as usize];
    let system = attempt.analysis.system;
    let automaton = system.automaton(attempt.analysis.world.group(origin.group).automaton);
    let edge = automaton.edge(origin.edge);
    let line = if system.model.sources.files().next().is_none() {
        0
    } else {
        system.model.sources.visible_line(edge.span)
    };
    (edge.text.clone(), line)
}
