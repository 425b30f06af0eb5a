//! Small graphs whose fair components are known.

use super::*;

/// An edge: from, to, who acts, and which quantities grow or shrink.
type Step<'a> = (u32, u32, &'a [u32], &'a [(u32, bool)]);

fn component(enabled: &[&[u32]], steps: &[Step<'_>], fairness: Fairness) -> Option<Vec<u32>> {
    let (mut sets, mut changes, mut marks) = (Numbered::new(), Numbered::new(), Numbered::new());
    changes.number(&Vec::new());
    let set = |members: &[u32]| {
        let mut set = ProcessSet::new();
        members.iter().for_each(|member| set.insert(omega::ProcessId(*member)));
        set
    };
    let enabled: Vec<u32> = enabled.iter().map(|members| sets.number(&set(members))).collect();
    let none = marks.number(&MarkSet::new());
    let (mut edges, mut ranges) = (Vec::new(), Vec::new());
    for node in 0..enabled.len() as u32 {
        let start = edges.len();
        for (_, target, actors, changed) in steps.iter().filter(|step| step.0 == node) {
            edges.push(GraphEdge {
                target: *target,
                marks: none,
                actors: sets.number(&set(actors)),
                changes: changes.number(&changed.to_vec()),
            });
        }
        ranges.push(start..edges.len());
    }
    let graph = Graph {
        enabled: &enabled,
        ranges: &ranges,
        edges: &edges,
        marks: &marks,
        sets: &sets,
        changes: &changes,
    };
    let found = find_component(&graph, &MarkSet::new(), fairness)?;
    let mut nodes = found.nodes;
    nodes.sort_unstable();
    Some(nodes)
}

/// Process 1 is enabled in node 2 and never acts: under strong fairness only the part without that node is left.
#[test]
fn strong_fairness_leaves_the_part_where_all_who_are_enabled_act() {
    let steps: &[Step<'_>] = &[(0, 1, &[0], &[]), (1, 0, &[0], &[]), (1, 2, &[0], &[]), (2, 0, &[0], &[])];
    let enabled: &[&[u32]] = &[&[0], &[0], &[0, 1]];
    assert_eq!(component(enabled, steps, Fairness::None), Some(vec![0, 1, 2]));
    assert_eq!(component(enabled, steps, Fairness::Weak), Some(vec![0, 1, 2]));
    assert_eq!(component(enabled, steps, Fairness::Strong), Some(vec![0, 1]));
    let all: &[&[u32]] = &[&[0, 1], &[0, 1], &[0, 1]];
    assert_eq!(component(all, steps, Fairness::Weak), None);
    assert_eq!(component(all, steps, Fairness::Strong), None);
}

/// What only grows, or only shrinks, does not do so again and again.
#[test]
fn a_quantity_changes_again_and_again_only_in_both_directions() {
    let round = |there: &[(u32, bool)], back: &[(u32, bool)]| {
        component(&[&[0], &[0]], &[(0, 1, &[0], there), (1, 0, &[0], back)], Fairness::None)
    };
    assert_eq!(round(&[], &[]), Some(vec![0, 1]));
    assert_eq!(round(&[(7, true)], &[(7, false)]), Some(vec![0, 1]));
    assert_eq!(round(&[(7, false)], &[(7, true)]), Some(vec![0, 1]));
    assert_eq!(round(&[(7, true)], &[]), None);
    assert_eq!(round(&[(7, false)], &[]), None);
    assert_eq!(round(&[(7, true), (8, true)], &[(7, false)]), None);
}

#[test]
fn what_is_left_without_a_quantity_that_only_shrinks_may_still_go_on() {
    let steps: &[Step<'_>] = &[(0, 0, &[0], &[]), (0, 1, &[0], &[(7, false)]), (1, 0, &[0], &[])];
    assert_eq!(component(&[&[0], &[0]], steps, Fairness::None), Some(vec![0]));
    // A node without a way back to itself is no component.
    assert_eq!(component(&[&[0], &[0]], &[(0, 1, &[0], &[])], Fairness::None), None);
}
