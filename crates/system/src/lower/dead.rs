//! Which local variables are dead after a statement: SPIN sets those to zero, and so do we, because states that differ only
//! in them are then one.
//!
//! A plain liveness analysis over scalar locals that are neither arrays, nor struct fields, nor channels. Two limits are
//! SPIN's and are kept for the sake of equal state counts: a variable that was only read is reset by conditions and
//! receives alone, and nothing is reset inside a `d_step`.

use super::element::{Body, ElementId, Kind, SequenceId};
use super::link::{hunt, hunt_start, is_dead_option};
use promela::interrupt;
use promela::model::{
    Expr, ExprKind, Frame, Place, ReceiveArgument, Scalar, StatementKind, Type, Variable, VariableId,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// For each element, the slots to reset after it.
pub(super) fn dead_slots(body: &Body, locals: &[Variable]) -> HashMap<ElementId, Vec<u32>> {
    let mut flow = Flow { body, edges: Vec::new(), seen: HashSet::new() };
    flow.add_sequence(body.top);
    let uses: Vec<Uses> = flow.edges.iter().map(|edge| uses_of(body, edge.step, locals)).collect();
    let live = live_before(&flow.edges, &uses, body.elements.len());

    let mut dead: HashMap<ElementId, Vec<u32>> = HashMap::new();
    for (edge, uses) in flow.edges.iter().zip(&uses) {
        let Some(step) = edge.step else { continue };
        let Kind::Basic(kind) = &body.element(step).kind else { continue };
        let is_live = |v: &VariableId| edge.to.is_some_and(|to| live[to.0].contains(v));
        let resets_reads = matches!(**kind, StatementKind::Condition(_) | StatementKind::Receive { .. });
        let stores_zero = matches!(&**kind, StatementKind::Assign { value, .. }
            if matches!(value.kind, ExprKind::Constant { value: 0, .. }));
        let mut variables: BTreeSet<VariableId> = BTreeSet::new();
        if resets_reads {
            variables.extend(uses.reads.iter().filter(|v| !is_live(v)));
        }
        if !stores_zero {
            variables.extend(uses.writes.iter().filter(|v| !is_live(v)));
        }
        if !variables.is_empty() {
            let slots = variables.iter().map(|v| locals[v.0 as usize].slot).collect();
            dead.insert(step, slots);
        }
    }
    dead
}

struct FlowEdge {
    from: ElementId,
    to: Option<ElementId>,
    step: Option<ElementId>,
}

struct Flow<'b> {
    body: &'b Body,
    edges: Vec<FlowEdge>,
    seen: HashSet<ElementId>,
}

impl Flow<'_> {
    fn add_sequence(&mut self, sequence: SequenceId) {
        for e in self.body.members(sequence) {
            if self.seen.insert(e) {
                self.add_element(e);
            }
        }
    }

    fn add_element(&mut self, e: ElementId) {
        let element = self.body.element(e);
        match &element.kind {
            Kind::Unless => self.add_sequence(element.sub[0]),
            Kind::Choice => {
                for &s in &element.sub {
                    if let Some(first) = self.body.sequence(s).first {
                        let to = hunt_start(self.body, first);
                        if !is_dead_option(self.body, to) {
                            self.edges.push(FlowEdge { from: e, to: Some(to), step: Some(e) });
                        }
                    }
                }
                for &s in &element.sub {
                    self.add_sequence(s);
                }
            }
            Kind::Atomic(inner) | Kind::DStep(inner) | Kind::Block(inner) => {
                let to = self.body.sequence(*inner).first.map(|f| hunt_start(self.body, f));
                self.edges.push(FlowEdge { from: e, to, step: Some(e) });
                self.add_sequence(*inner);
            }
            kind => {
                let next = match kind {
                    Kind::Goto(jump) => self.body.destination(jump),
                    _ => element.next,
                };
                let to = next.map(|n| hunt(self.body, n, element.atomic));
                self.edges.push(FlowEdge { from: e, to, step: Some(e) });
                if !matches!(kind, Kind::Goto(_) | Kind::Joint) {
                    for &s in &element.escapes {
                        if let Some(first) = self.body.sequence(s).first {
                            let to = Some(hunt_start(self.body, first));
                            self.edges.push(FlowEdge { from: e, to, step: None });
                        }
                        self.add_sequence(s);
                    }
                }
            }
        }
    }
}

fn live_before(edges: &[FlowEdge], uses: &[Uses], elements: usize) -> Vec<HashSet<VariableId>> {
    let mut live: Vec<HashSet<VariableId>> = vec![HashSet::new(); elements];
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); elements];
    for (i, edge) in edges.iter().enumerate() {
        if let Some(to) = edge.to {
            entering[to.0].push(i);
        }
    }
    let mut work: Vec<usize> = (0..edges.len()).rev().collect();
    let mut queued = vec![true; edges.len()];
    while let Some(i) = work.pop() {
        interrupt::point();
        queued[i] = false;
        let (edge, uses) = (&edges[i], &uses[i]);
        let mut now: Vec<VariableId> = uses.reads.iter().copied().collect();
        if let Some(to) = edge.to {
            now.extend(live[to.0].iter().filter(|v| !uses.writes.contains(v)));
        }
        let before = live[edge.from.0].len();
        live[edge.from.0].extend(now);
        if live[edge.from.0].len() > before {
            for &p in &entering[edge.from.0] {
                if !queued[p] {
                    queued[p] = true;
                    work.push(p);
                }
            }
        }
    }
    live
}

#[derive(Default)]
struct Uses {
    reads: BTreeSet<VariableId>,
    writes: BTreeSet<VariableId>,
}

fn uses_of(body: &Body, step: Option<ElementId>, locals: &[Variable]) -> Uses {
    let mut uses = Uses::default();
    let Some(step) = step else { return uses };
    let Kind::Basic(kind) = &body.element(step).kind else { return uses };
    let mut collector = Collector { locals, uses: &mut uses };
    match &**kind {
        StatementKind::Condition(e) | StatementKind::Assert(e) | StatementKind::Printm(e) => {
            collector.read(e);
        }
        StatementKind::Assign { place, value } => {
            collector.write(place);
            collector.read(value);
        }
        StatementKind::Send { channel, arguments, .. } => {
            collector.read_place(&channel.place);
            arguments.iter().for_each(|a| collector.read(a));
        }
        StatementKind::Receive { channel, arguments, .. } => {
            collector.read_place(&channel.place);
            for argument in arguments {
                match argument {
                    ReceiveArgument::Match(e) => collector.read(e),
                    ReceiveArgument::Store(place) => collector.write(place),
                    ReceiveArgument::Discard(_) => {}
                }
            }
        }
        StatementKind::Printf { arguments, .. } => arguments.iter().for_each(|a| collector.read(a)),
        StatementKind::SetPriority { pid, priority } => {
            collector.read(pid);
            collector.read(priority);
        }
        _ => {}
    }
    uses
}

struct Collector<'a> {
    locals: &'a [Variable],
    uses: &'a mut Uses,
}

impl Collector<'_> {
    fn tracked(&self, place: &Place) -> Option<VariableId> {
        if place.frame != Frame::Local {
            return None;
        }
        let variable = self.locals.get(place.variable.0 as usize)?;
        match variable.ty {
            Type::Scalar(scalar) if scalar != Scalar::Chan && variable.length.is_none() => {
                Some(place.variable)
            }
            _ => None,
        }
    }

    fn read_variable(&mut self, place: &Place) {
        if let Some(v) = self.tracked(place) {
            self.uses.reads.insert(v);
        }
    }

    fn read_place(&mut self, place: &Place) {
        place.visit_places(&mut |inner| self.read_variable(inner));
    }

    fn write(&mut self, place: &Place) {
        if let Some(v) = self.tracked(place) {
            self.uses.writes.insert(v);
        }
        place.visit_index_places(&mut |inner| self.read_variable(inner));
    }

    /// A value that only a remote reference's index needs would be reset by SPIN; we keep it.
    fn read(&mut self, e: &Expr) {
        e.visit_places(&mut |place| self.read_variable(place));
    }
}
