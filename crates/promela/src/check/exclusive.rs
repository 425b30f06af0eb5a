//! Promises that a channel is nobody else's, where others are seen to use it.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::hash::HashMap;
use crate::model::{ExclusiveUse, ExprKind, Frame, Model, Place, StatementKind, VariableId};
use crate::source::Span;

/// A channel of the model, by its variable and, in an array, its number; and whether it is about receiving.
type Use = (VariableId, Option<i32>, bool);

pub(super) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    if model.proctypes.iter().all(|proctype| proctype.exclusive.is_empty()) {
        return;
    }
    let mut users: HashMap<Use, Vec<(usize, Span)>> = HashMap::default();
    for (index, proctype) in model.proctypes.iter().enumerate() {
        proctype.body.visit(&mut |statement| {
            let (channel, receive) = match &statement.kind {
                StatementKind::Send { channel, .. } => (channel, false),
                StatementKind::Receive { channel, .. } => (channel, true),
                _ => return,
            };
            if let Some((variable, element)) = known(&channel.place) {
                users.entry((variable, element, receive)).or_default().push((index, statement.span));
            }
        });
    }
    let claims = |index: usize, wanted: Use| {
        let of = |claimed: &ExclusiveUse| known(&claimed.channel).map(|(v, e)| (v, e, claimed.receive));
        model.proctypes[index].exclusive.iter().any(|claimed| of(claimed) == Some(wanted))
    };
    for (index, proctype) in model.proctypes.iter().enumerate() {
        for claimed in &proctype.exclusive {
            let Some((variable, element)) = known(&claimed.channel) else { continue };
            let wanted = (variable, element, claimed.receive);
            let mut others = users.get(&wanted).into_iter().flatten();
            // Two that claim it are an error, and that has been said.
            let breaks = |(user, _): &&(usize, Span)| *user != index && !claims(*user, wanted);
            let Some((other, span)) = others.find(breaks) else { continue };
            let (word, does) = if claimed.receive { ("xr", "receives from") } else { ("xs", "sends to") };
            let name = &model.globals[variable.0 as usize].name;
            let message =
                format!("`{word}` is broken: `{}` {does} `{name}` too", model.proctypes[*other].name);
            diagnostics.push(
                Diagnostic::warning(codes::EXCLUSIVE_BROKEN, claimed.channel.span, message)
                    .with_related(*span, "here"),
            );
        }
    }
}

/// Which channel it is, if the text says so.
fn known(place: &Place) -> Option<(VariableId, Option<i32>)> {
    let element = match &place.indices[..] {
        [] => None,
        [index] => match index.value.kind {
            ExprKind::Constant { value, .. } => Some(value),
            _ => return None,
        },
        _ => return None,
    };
    (place.frame == Frame::Global).then_some((place.variable, element))
}
