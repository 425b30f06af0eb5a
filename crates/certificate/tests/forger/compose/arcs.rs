//! The statements of the model as arcs between points, with the messages that they move.

use super::Composer;
use certificate::claims::{ObjectId, ObjectPlace, Point};
use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, Frame, Place, ReceiveArgument};
use std::collections::BTreeSet;
use system::automaton::Action;

/// A statement between two points of an automaton.
pub(super) struct Arc {
    pub(super) automaton: u32,
    pub(super) edge: u32,
    pub(super) from: Point,
    pub(super) to: Option<Point>,
    /// Messages: object if known, value if known, and +1 or -1.
    pub(super) message: Option<(Option<ObjectId>, Option<i32>, i64)>,
    pub(super) runs: Option<u32>,
    pub(super) progress: bool,
    /// Slots that are written, and by how much they grow if that is all that happens to them.
    pub(super) stores: Vec<(Frame, u32, Option<i64>)>,
}

impl Composer<'_> {
    pub(super) fn draw_arcs(&mut self) {
        for (id, automaton) in self.system.process_automata() {
            for (number, edge) in (0..).zip(&automaton.edges) {
                let from = Point::At(edge.source.0);
                let to = Point::At(edge.target.0);
                match &edge.action {
                    Action::End => {
                        self.arcs.push(self.arc(id.0, number, (from, None), &edge.action, edge.progress))
                    }
                    Action::DStep(body) => {
                        for (step, node) in (0..).zip(&body.nodes) {
                            for choice in &node.choices {
                                let inside = |step| Point::Inside { edge: number, step };
                                let to = choice.next.map_or(to, |next| inside(next.0));
                                let progress = edge.progress || choice.progress;
                                let arc =
                                    |from| self.arc(id.0, number, (from, Some(to)), &choice.action, progress);
                                let arcs = match step {
                                    0 => vec![arc(from), arc(inside(0))],
                                    _ => vec![arc(inside(step))],
                                };
                                self.arcs.extend(arcs);
                            }
                        }
                    }
                    action => {
                        let arc = self.arc(id.0, number, (from, Some(to)), action, edge.progress);
                        self.arcs.push(arc);
                    }
                }
            }
        }
    }

    fn arc(
        &self,
        automaton: u32,
        edge: u32,
        (from, to): (Point, Option<Point>),
        action: &Action,
        progress: bool,
    ) -> Arc {
        let object = |channel: &ChannelRef| {
            let slot = channel.place.base;
            let plain = channel.place.frame == Frame::Global && channel.place.indices.is_empty();
            let at = self.objects.iter().position(|o| *o == ObjectPlace::Global { slot });
            at.filter(|_| plain).map(|at| ObjectId(at as u32))
        };
        let constant = |expr: &Expr| match expr.kind {
            ExprKind::Constant { value, .. } => Some(value),
            _ => None,
        };
        let message = match action {
            Action::Send { channel, arguments, .. } => {
                Some((object(channel), arguments.first().and_then(constant), 1))
            }
            Action::Receive { channel, copy: false, arguments, .. } => {
                let value = match arguments.first() {
                    Some(ReceiveArgument::Match(expr)) => constant(expr),
                    _ => None,
                };
                Some((object(channel), value, -1))
            }
            _ => None,
        };
        let mut runs = None;
        action.visit_expressions(&mut |expr| {
            expr.visit(&mut |part| {
                if let ExprKind::Run { proctype, .. } = &part.kind {
                    runs = Some(proctype.0);
                }
            });
        });
        Arc { automaton, edge, from, to, message, runs, progress, stores: stores(action) }
    }

    /// A group whose processes send to the object (or, -1, receive from it); so many times in a hundred, otherwise any.
    pub(super) fn who(&mut self, object: u32, sign: i64, percent: usize) -> Option<usize> {
        let concerns = |arc: &&Arc| {
            arc.message.is_some_and(|(of, _, way)| way == sign && of.is_none_or(|of| of.0 == object))
        };
        let automata: BTreeSet<u32> = self.arcs.iter().filter(concerns).map(|arc| arc.automaton).collect();
        let any = !self.random.percent(percent);
        let groups = self.claims.groups.iter().enumerate();
        let groups = groups.filter(|(_, group)| any || automata.contains(&group.automaton));
        let groups: Vec<usize> = groups.map(|(index, _)| index).collect();
        self.random.pick(&groups).copied()
    }
}

/// The slots that a statement writes; an element of an array as if its index were 0.
fn stores(action: &Action) -> Vec<(Frame, u32, Option<i64>)> {
    let slot = |place: &Place| (place.frame, place.base);
    match action {
        Action::Assign { place, value } => {
            let reads = |expr: &Expr| matches!(&expr.kind, ExprKind::Read(read) if slot(read) == slot(place));
            let by = match &value.kind {
                ExprKind::Binary(operator, left, right) if reads(left) => match (operator, &right.kind) {
                    (BinaryOp::Add, ExprKind::Constant { value, .. }) => Some(i64::from(*value)),
                    (BinaryOp::Subtract, ExprKind::Constant { value, .. }) => Some(-i64::from(*value)),
                    _ => None,
                },
                _ => None,
            };
            vec![(place.frame, place.base, by)]
        }
        Action::Receive { arguments, .. } => {
            let stored = arguments.iter().filter_map(|argument| match argument {
                ReceiveArgument::Store(place) => Some((place.frame, place.base, None)),
                _ => None,
            });
            stored.collect()
        }
        _ => Vec::new(),
    }
}
