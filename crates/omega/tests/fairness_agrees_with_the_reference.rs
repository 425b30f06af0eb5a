//! The component-wise decision against the one that tries all sets of edges, on random small graphs; and the few
//! graphs on which the kinds of fairness differ.

use omega::fairness::reference::has_fair_accepting_run;
use omega::fairness::{
    FairEdge, FairGraph, Fairness, fair_accepting_subcomponent, find_fair_lasso, is_fair_accepting_cycle,
};
use omega::sample::Random;
use omega::{MarkId, MarkSet, NodeId, ProcessId, ProcessSet};

const KINDS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

fn processes(ids: &[u32]) -> ProcessSet {
    ids.iter().map(|&id| ProcessId(id)).collect()
}

fn edge(source: u32, target: u32, actors: &[u32], marks: &[u32]) -> FairEdge {
    FairEdge {
        source: NodeId(source),
        target: NodeId(target),
        actors: processes(actors),
        marks: marks.iter().map(|&id| MarkId(id)).collect(),
    }
}

/// Who acts is enabled; who is enabled need not have an edge (a product with an automaton may lack it).
fn random_graph(random: &mut Random) -> (FairGraph, MarkSet) {
    let nodes = 2 + random.below(4);
    let marks = random.below(3);
    let mut enabled: Vec<ProcessSet> =
        (0..nodes).map(|_| ProcessSet::from_low_word(random.bits() & random.bits() & 7)).collect();
    let edges: Vec<FairEdge> = (0..1 + random.below(9))
        .map(|_| {
            let actors = match random.below(8) {
                0 => ProcessSet::new(),
                1 => processes(&[0, 1]),
                _ => processes(&[random.below(3) as u32]),
            };
            FairEdge {
                source: NodeId(random.below(nodes) as u32),
                target: NodeId(random.below(nodes) as u32),
                actors,
                marks: MarkSet::from_low_word(random.bits() & ((1 << marks) - 1)),
            }
        })
        .collect();
    for edge in &edges {
        enabled[edge.source.0 as usize].union_with(&edge.actors);
    }
    let graph = FairGraph::new(enabled, edges).unwrap();
    let required = MarkSet::first(marks);
    let graph = if random.once_in(2) { graph.with_stuttering(&required) } else { graph };
    (graph, required)
}

#[test]
fn six_thousand_random_graphs_are_decided_as_the_reference_decides_them() {
    let mut random = Random::new(7);
    let mut found = [0usize; 3];
    for round in 0..6_000 {
        let (graph, required) = random_graph(&mut random);
        for (kind, fairness) in KINDS.into_iter().enumerate() {
            let expected = has_fair_accepting_run(&graph, NodeId(0), &required, fairness).unwrap();
            let lasso = find_fair_lasso(&graph, NodeId(0), &required, fairness);
            assert_eq!(lasso.is_some(), expected, "round {round}, {fairness:?}: {graph:?}");
            if let Some(lasso) = lasso {
                found[kind] += 1;
                assert!(is_fair_accepting_cycle(&graph, &lasso.cycle, &required, fairness), "{graph:?}");
                let mut at = NodeId(0);
                for &index in lasso.prefix.iter().chain(&lasso.cycle) {
                    assert_eq!(graph.edges()[index].source, at);
                    at = graph.edges()[index].target;
                }
            }
        }
    }
    assert!(found[0] > found[1] && found[1] > found[2] && found[2] > 1_000, "{found:?}");
}

/// Two processes: 0 loops between two nodes, 1 is enabled only at the first.
#[test]
fn strong_fairness_wants_a_process_that_is_enabled_again_and_again_to_act() {
    let graph = FairGraph::new(
        vec![processes(&[0, 1]), processes(&[0]), processes(&[])],
        vec![edge(0, 1, &[0], &[]), edge(1, 0, &[0], &[]), edge(0, 2, &[1], &[])],
    )
    .unwrap();
    let none = MarkSet::new();
    let loops = |fairness| fair_accepting_subcomponent(&graph, &none, fairness);
    assert_eq!(loops(Fairness::None), Some(vec![NodeId(0), NodeId(1)]));
    assert_eq!(loops(Fairness::Weak), Some(vec![NodeId(0), NodeId(1)]));
    assert_eq!(loops(Fairness::Strong), None);
}

#[test]
fn weak_fairness_wants_a_process_that_stays_enabled_to_act() {
    let graph = FairGraph::new(
        vec![processes(&[0, 1]), processes(&[])],
        vec![edge(0, 0, &[0], &[]), edge(0, 1, &[1], &[])],
    )
    .unwrap();
    assert_eq!(fair_accepting_subcomponent(&graph, &MarkSet::new(), Fairness::Weak), None);
    assert!(fair_accepting_subcomponent(&graph, &MarkSet::new(), Fairness::None).is_some());
}

/// A run that ends is fair: SPIN with `-f` misses the violation of `<>[](n == 1)` by a process that ends with n = 2.
#[test]
fn a_run_that_ends_is_not_lost_under_fairness() {
    let required = MarkSet::first(1);
    let graph = FairGraph::new(vec![processes(&[0]), processes(&[])], vec![edge(0, 1, &[0], &[])])
        .unwrap()
        .with_stuttering(&required);
    for fairness in KINDS {
        let lasso = find_fair_lasso(&graph, NodeId(0), &required, fairness).unwrap();
        assert_eq!((lasso.prefix, lasso.cycle), (vec![0], vec![1]));
    }
}

/// Process 1 starves, so node 0 goes; process 2 acts only there, so it starves in what is left, and node 2 goes.
#[test]
fn strong_fairness_prunes_more_than_once() {
    let graph = FairGraph::new(
        vec![processes(&[0, 1, 2]), processes(&[0]), processes(&[0, 2]), processes(&[0])],
        vec![
            edge(0, 3, &[2], &[]),
            edge(0, 1, &[0], &[]),
            edge(1, 2, &[0], &[]),
            edge(2, 3, &[0], &[]),
            edge(3, 3, &[0], &[0]),
            edge(3, 0, &[0], &[]),
            edge(3, 2, &[0], &[]),
        ],
    )
    .unwrap();
    let found = fair_accepting_subcomponent(&graph, &MarkSet::first(1), Fairness::Strong);
    assert_eq!(found, Some(vec![NodeId(3)]));
}

#[test]
fn a_cycle_that_is_empty_open_unaccepted_or_unfair_is_refused() {
    let step = |source, target, actor, marks| FairEdge {
        source: NodeId(source),
        target: NodeId(target),
        actors: processes(&[actor]),
        marks: MarkSet::from_low_word(marks),
    };
    // Process 0 goes round; process 1 can act at node 0 only.
    let edges = vec![step(0, 1, 0, 1), step(1, 0, 0, 0), step(0, 0, 1, 0)];
    let graph = FairGraph::new(vec![processes(&[0, 1]), processes(&[0])], edges).unwrap();
    let (nothing, first) = (MarkSet::new(), MarkSet::first(1));
    let holds = |cycle: &[usize], required: &MarkSet, fairness| {
        is_fair_accepting_cycle(&graph, cycle, required, fairness)
    };
    assert!(holds(&[0, 1], &first, Fairness::Weak), "process 1 cannot act at node 1");
    assert!(holds(&[0, 1, 2], &first, Fairness::Strong));
    assert!(!holds(&[], &nothing, Fairness::None), "empty");
    assert!(!holds(&[0], &nothing, Fairness::None), "open");
    assert!(!holds(&[0, 2], &nothing, Fairness::None), "open in the middle");
    assert!(!holds(&[0, 9], &nothing, Fairness::None), "no such edge");
    assert!(!holds(&[2], &first, Fairness::None), "not accepted");
    assert!(!holds(&[2], &nothing, Fairness::Weak), "process 0 stays enabled");
    assert!(!holds(&[0, 1], &first, Fairness::Strong), "process 1 is enabled again and again");
}
