//! The inside of a `d_step` as a small graph without joints and jumps.

use super::element::{Body, ElementId, Kind, SequenceId};
use super::link::{StatementLabels, basic_action, is_progress};
use crate::automaton::{Action, DStep, DStepChoice, DStepNode, DStepNodeId};
use promela::source::Span;
use std::collections::{HashMap, HashSet};

pub(super) fn lower(body: &Body, labels: &StatementLabels, sequence: SequenceId) -> DStep {
    let mut lowering = Lowering { body, labels, nodes: Vec::new(), ids: HashMap::new() };
    match body.sequence(sequence).first.and_then(|first| settle(body, first)) {
        Some(start) => {
            lowering.node(start);
        }
        None => lowering.nodes.push(DStepNode { choices: vec![skip(Default::default())] }),
    }
    DStep { nodes: lowering.nodes }
}

struct Lowering<'b> {
    body: &'b Body,
    labels: &'b StatementLabels,
    nodes: Vec<DStepNode>,
    ids: HashMap<ElementId, DStepNodeId>,
}

impl Lowering<'_> {
    fn node(&mut self, e: ElementId) -> DStepNodeId {
        if let Some(&id) = self.ids.get(&e) {
            return id;
        }
        let id = DStepNodeId(self.nodes.len() as u32);
        self.ids.insert(e, id);
        self.nodes.push(DStepNode { choices: Vec::new() });
        let mut choices = Vec::new();
        self.choices(e, &mut choices, &mut HashSet::new());
        self.nodes[id.0 as usize].choices = choices;
        id
    }

    /// A choice in the first place of an option is opened, so that it is tried like the option's other guards.
    fn choices(&mut self, e: ElementId, out: &mut Vec<DStepChoice>, opened: &mut HashSet<ElementId>) {
        let element = self.body.element(e);
        match &element.kind {
            Kind::Choice if opened.insert(e) => {
                for s in element.sub.clone() {
                    match self.body.sequence(s).first.and_then(|first| settle(self.body, first)) {
                        Some(first) => self.choices(first, out, opened),
                        None => out.push(skip(element.span)),
                    }
                }
            }
            Kind::Basic(kind) => {
                let next = element.next.and_then(|n| settle(self.body, n)).map(|n| self.node(n));
                let labels = self.labels.get(&e).cloned().unwrap_or_default();
                let progress = labels.iter().any(|label| is_progress(label));
                let action = basic_action(kind);
                out.push(DStepChoice { action, next, labels, progress, span: element.span });
            }
            _ => {}
        }
    }
}

/// An option that does nothing and leaves the `d_step`.
fn skip(span: Span) -> DStepChoice {
    DStepChoice { action: Action::Skip, next: None, labels: Vec::new(), progress: false, span }
}

/// Follows joints, jumps and braces to the next statement or choice; `None` once outside the `d_step`.
fn settle(body: &Body, from: ElementId) -> Option<ElementId> {
    let mut e = from;
    // A chain without statements is shorter than the number of elements, unless it is a loop of jumps.
    for _ in 0..=body.elements.len() {
        let element = body.element(e);
        if !element.in_d_step {
            return None;
        }
        e = match &element.kind {
            Kind::Basic(_) | Kind::Choice => return Some(e),
            Kind::Goto(jump) => body.destination(jump)?,
            Kind::Joint | Kind::Exit => element.next?,
            Kind::Unless => body.sequence(element.sub[0]).first?,
            Kind::Atomic(inner) | Kind::DStep(inner) | Kind::Block(inner) => body.sequence(*inner).first?,
            Kind::End => return None,
        };
    }
    None
}
