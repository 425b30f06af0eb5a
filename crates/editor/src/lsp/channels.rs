//! Which names a channel goes by: it is handed over in `run`, assigned, and so has senders and receivers under other names.

use crate::reading::Reading;
use promela::model::{ExprKind, Frame, Model, Place, Scalar, StatementKind, Variable, VariableId};
use promela::source::{ExpansionId, Span};
use std::collections::{HashMap, HashSet};

/// The declarations of all channel variables that may hold what the one declared here holds, itself included: those to which it is handed
/// over, and those from which it comes. What travels in messages is not followed.
pub fn same_channel(reading: &Reading, declared: Span) -> HashSet<Span> {
    let flows = flows(&reading.model);
    let mut found = HashSet::from([declared]);
    for direction in [&flows.to, &flows.from] {
        let mut todo = vec![declared];
        while let Some(span) = todo.pop() {
            for &next in direction.get(&span).into_iter().flatten() {
                if found.insert(next) {
                    todo.push(next);
                }
            }
        }
    }
    found
}

#[derive(Default)]
struct Flows {
    to: HashMap<Span, Vec<Span>>,
    from: HashMap<Span, Vec<Span>>,
}

impl Flows {
    fn add(&mut self, from: Option<Span>, to: Option<Span>) {
        if let (Some(from), Some(to)) = (from, to) {
            self.to.entry(from).or_default().push(to);
            self.from.entry(to).or_default().push(from);
        }
    }
}

fn flows(model: &Model) -> Flows {
    let mut flows = Flows::default();
    for proctype in &model.proctypes {
        proctype.body.visit(&mut |statement| {
            if let StatementKind::Assign { place, value } = &statement.kind
                && let ExprKind::Read(read) = &value.kind
            {
                let from = declaration(model, &proctype.locals, read);
                flows.add(from, declaration(model, &proctype.locals, place));
            }
            let (StatementKind::Condition(value) | StatementKind::Assign { value, .. }) = &statement.kind
            else {
                return;
            };
            value.visit(&mut |expr| {
                let ExprKind::Run { proctype: started, arguments, .. } = &expr.kind else { return };
                let started = &model.proctypes[started.0 as usize];
                for (slot, argument) in arguments.iter().enumerate() {
                    if let ExprKind::Read(place) = &argument.kind {
                        flows.add(
                            declaration(model, &proctype.locals, place),
                            parameter(started, slot as u32),
                        );
                    }
                }
            });
        });
    }
    flows
}

/// Where the channel variable of a place is declared.
fn declaration(model: &Model, locals: &[Variable], place: &Place) -> Option<Span> {
    let VariableId(index) = place.variable;
    let variables = match place.frame {
        Frame::Global => &model.globals[..],
        Frame::Local => locals,
    };
    let variable = variables.get(index as usize).filter(|_| place.scalar == Scalar::Chan)?;
    Some(Span { expansion: ExpansionId::NONE, ..variable.span })
}

fn parameter(proctype: &promela::model::Proctype, slot: u32) -> Option<Span> {
    let parameters = &proctype.locals[..proctype.parameters as usize];
    let holds = |variable: &&Variable| (variable.slot..variable.slot + variable.slots).contains(&slot);
    let variable = parameters.iter().find(holds)?;
    Some(Span { expansion: ExpansionId::NONE, ..variable.span })
}
