//! Promises that a channel is nobody else's, where others are seen to use it.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::hash::HashMap;
use crate::model::{ExclusiveUse, Frame, Model, Proctype, StatementKind, VariableId};
use crate::source::Span;

/// A channel of the model, and whether it is about receiving.
type Use = (VariableId, bool);

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
            if channel.place.frame == Frame::Global {
                users.entry((channel.place.variable, receive)).or_default().push((index, statement.span));
            }
        });
    }
    let claimed_by = |index: usize| {
        let proctype: &Proctype = &model.proctypes[index];
        proctype.exclusive.iter().filter(|claimed| claimed.channel.frame == Frame::Global)
    };
    let is_of = |claimed: &ExclusiveUse| (claimed.channel.variable, claimed.receive);
    for index in 0..model.proctypes.len() {
        for claimed in claimed_by(index) {
            let wanted = is_of(claimed);
            let mut others = users.get(&wanted).into_iter().flatten();
            // Two that claim it are an error, and that has been said.
            let breaks = |(user, _): &&(usize, Span)| {
                *user != index && claimed_by(*user).all(|claimed| is_of(claimed) != wanted)
            };
            let Some((other, span)) = others.find(breaks) else { continue };
            let (word, does) = if claimed.receive { ("xr", "receives from") } else { ("xs", "sends to") };
            let name = &model.globals[wanted.0.0 as usize].name;
            let message =
                format!("`{word}` is broken: `{}` {does} `{name}` too", model.proctypes[*other].name);
            diagnostics.push(
                Diagnostic::warning(codes::EXCLUSIVE_BROKEN, claimed.channel.span, message)
                    .with_related(*span, "here"),
            );
        }
    }
}
