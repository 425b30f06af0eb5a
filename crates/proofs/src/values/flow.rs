//! Control flow with the insides of `d_step`s laid open.
//!
//! A [`FlowPoint`] is a location or a node inside a `d_step`; an [`Arc`] is a statement. Each statement of a `d_step` is a step of its
//! own here, so every point inside counts for a bound.

use std::collections::BTreeMap;

use promela::model::ExprKind;
use system::automaton::{Action, Automaton, AutomatonId, DStepNodeId, EdgeId, LocationId};
use system::progress::{ProgressStatements, StatementId};

/// Index into [`Flow::points`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PointId(pub u32);

/// A point of control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FlowPoint {
    /// A location of the automaton.
    At(LocationId),
    /// A node inside the `d_step` of an edge.
    Inside(EdgeId, DStepNodeId),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Arc<'s> {
    /// Where it leads; `None`: the process ends.
    pub target: Option<PointId>,
    /// What it does; never a `d_step`.
    pub action: &'s Action,
    /// The edge that it is (a part of).
    pub edge: EdgeId,
    /// Which node and choice of its `d_step` it is.
    pub inside: Option<(u32, u32)>,
    /// Slots that are zero after it.
    pub dead: &'s [u32],
    /// Executing it is progress.
    pub progress: bool,
    /// A `run` stands somewhere in it.
    pub starts: bool,
    /// What is tried before it, if it is `else`: none of that can be executed when it is.
    pub before: Vec<&'s Action>,
}

/// The control flow of an automaton.
#[derive(Clone, Debug)]
pub struct Flow<'s> {
    /// Its points; locations first, in their order.
    pub points: Vec<FlowPoint>,
    /// The arcs that leave each point, in the order in which they are tried.
    pub leaving: Vec<Vec<Arc<'s>>>,
    /// Where it starts.
    pub initial: PointId,
}

impl<'s> Flow<'s> {
    /// Lays open an automaton of a system.
    pub fn new(automaton: &'s Automaton, id: AutomatonId, progress: &ProgressStatements) -> Flow<'s> {
        let is_progress = |edge, inside| progress.contains(StatementId { automaton: id, edge, inside });
        let mut points: Vec<FlowPoint> =
            (0..automaton.locations.len()).map(|index| FlowPoint::At(LocationId(index as u32))).collect();
        let mut inside: BTreeMap<(EdgeId, DStepNodeId), PointId> = BTreeMap::new();
        let mut leaving: Vec<Vec<Arc<'s>>> = vec![Vec::new(); points.len()];
        for (index, location) in automaton.locations.iter().enumerate() {
            for (position, &edge_id) in location.edges.iter().enumerate() {
                let edge = automaton.edge(edge_id);
                match &edge.action {
                    Action::DStep(step) => {
                        for (node_index, node) in step.nodes.iter().enumerate() {
                            let mut arcs = Vec::with_capacity(node.choices.len());
                            for (position, choice) in node.choices.iter().enumerate() {
                                let inside_of = Some((DStepNodeId(node_index as u32), position as u32));
                                let (target, dead): (PointId, &[u32]) = match choice.next {
                                    None => (PointId(edge.target.0), &edge.dead),
                                    Some(next) => (
                                        *inside.entry((edge_id, next)).or_insert_with(|| {
                                            points.push(FlowPoint::Inside(edge_id, next));
                                            leaving.push(Vec::new());
                                            PointId(points.len() as u32 - 1)
                                        }),
                                        &[],
                                    ),
                                };
                                arcs.push(Arc {
                                    target: Some(target),
                                    action: &choice.action,
                                    edge: edge_id,
                                    inside: Some((node_index as u32, position as u32)),
                                    dead,
                                    progress: is_progress(edge_id, inside_of),
                                    starts: starts(&choice.action),
                                    before: before(
                                        &choice.action,
                                        node.choices[..position].iter().map(|choice| &choice.action),
                                    ),
                                });
                            }
                            let own = DStepNodeId(node_index as u32);
                            if node_index == 0 {
                                leaving[index].extend(arcs.iter().cloned());
                                if step
                                    .nodes
                                    .iter()
                                    .any(|node| node.choices.iter().any(|c| c.next == Some(own)))
                                {
                                    let point = *inside.entry((edge_id, own)).or_insert_with(|| {
                                        points.push(FlowPoint::Inside(edge_id, own));
                                        leaving.push(Vec::new());
                                        PointId(points.len() as u32 - 1)
                                    });
                                    leaving[point.0 as usize] = arcs;
                                }
                            } else {
                                let point = *inside.entry((edge_id, own)).or_insert_with(|| {
                                    points.push(FlowPoint::Inside(edge_id, own));
                                    leaving.push(Vec::new());
                                    PointId(points.len() as u32 - 1)
                                });
                                leaving[point.0 as usize] = arcs;
                            }
                        }
                    }
                    action => leaving[index].push(Arc {
                        target: (!matches!(action, Action::End)).then_some(PointId(edge.target.0)),
                        action,
                        edge: edge_id,
                        inside: None,
                        dead: &edge.dead,
                        progress: is_progress(edge_id, None),
                        starts: starts(action),
                        before: before(
                            action,
                            location.edges[..position].iter().map(|&id| &automaton.edge(id).action),
                        ),
                    }),
                }
            }
        }
        Flow { points, leaving, initial: PointId(automaton.initial.0) }
    }

    /// The arcs that leave a point.
    pub fn arcs(&self, point: PointId) -> &[Arc<'s>] {
        &self.leaving[point.0 as usize]
    }
}

fn before<'s>(action: &Action, others: impl Iterator<Item = &'s Action>) -> Vec<&'s Action> {
    if *action == Action::Else { others.collect() } else { Vec::new() }
}

/// Whether a `run` stands somewhere in a statement.
pub fn starts(action: &Action) -> bool {
    let mut found = false;
    action.visit_expressions(&mut |expr| {
        expr.visit(&mut |inner| found |= matches!(inner.kind, ExprKind::Run { .. }));
    });
    found
}
