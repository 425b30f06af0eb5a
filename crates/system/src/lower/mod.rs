//! From a model to its automata.
//!
//! In: a [`Model`] as the front end leaves it. Out: a [`System`] that passes [`crate::validate`]. Three passes over each
//! body: [`element`] lays the statements out, [`dead`] finds variables that need not be remembered, [`link`] turns the
//! layout into locations and edges.

mod d_step;
mod dead;
mod element;
mod link;
mod visit;

use crate::automaton::{Automaton, AutomatonId, AutomatonKind, Slot, System};
use crate::code::Code;
use crate::limits::{self, Limits};
use element::RepeatedSkips;
use promela::codes;
use promela::diagnostic::Diagnostic;
use promela::model::{Model, ProctypeId, RemoteProcess, Scalar, Sequence, Type, Variable};
use promela::source::Span;

/// Lowers a model. The diagnostics are about control flow that no automaton can express; the front end has reported
/// everything else.
pub fn lower(model: Model) -> (System, Vec<Diagnostic>) {
    let usage = visit::usage(&model);
    let mut diagnostics = Vec::new();
    let mut automata = Vec::new();
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let id = ProctypeId(index as u32);
        let named = usage.labels_of(RemoteProcess::Proctype(id));
        automata.push(lower_body(
            &model,
            Part {
                name: &proctype.name,
                kind: AutomatonKind::Process(id),
                locals: &proctype.locals,
                body: &proctype.body,
                end: proctype.end,
                remotely_named: named,
                reset_dead: !usage.remote_variables,
            },
            &mut diagnostics,
        ));
    }
    let mut claims = Vec::new();
    for (index, claim) in model.claims.iter().enumerate() {
        claims.push(AutomatonId(automata.len() as u32));
        automata.push(lower_body(
            &model,
            Part {
                name: &claim.name,
                kind: AutomatonKind::Claim(index as u32),
                locals: &claim.locals,
                body: &claim.body,
                end: claim.end,
                remotely_named: usage.labels_of(RemoteProcess::Claim(index as u32)),
                reset_dead: !usage.remote_variables,
            },
            &mut diagnostics,
        ));
    }
    let mut event_trace = None;
    if let Some(trace) = &model.event_trace {
        event_trace = Some(AutomatonId(automata.len() as u32));
        automata.push(lower_body(
            &model,
            Part {
                name: trace_name(trace.negated),
                kind: AutomatonKind::EventTrace { negated: trace.negated },
                locals: &[],
                body: &trace.body,
                end: trace.end,
                remotely_named: Vec::new(),
                reset_dead: false,
            },
            &mut diagnostics,
        ));
    }
    // SPIN leaves variables out of the state that nothing reads. One that is declared `hidden` but read stays in: what
    // SPIN finds then depends on the order of its search.
    let mut global_slots = slots(&model, &model.globals);
    for (variable, read) in model.globals.iter().zip(&usage.global_is_read) {
        let is_number = matches!(variable.ty, Type::Scalar(scalar) if scalar != Scalar::Chan);
        if is_number && !read {
            for slot in &mut global_slots[variable.slot as usize..(variable.slot + variable.slots) as usize] {
                slot.hidden = true;
            }
        }
    }
    diagnostics.extend(beyond_spin(&model));
    let fingerprint = Default::default();
    let code = Code::compile(&model, &automata);
    (System { model, automata, claims, event_trace, global_slots, fingerprint, code }, diagnostics)
}

/// What [`lower`] has to say about a model, for whoever wants no more than that: only bodies in which it can be found are laid out.
pub fn diagnose(model: &Model) -> Vec<Diagnostic> {
    let proctypes =
        model.proctypes.iter().map(|p| (&*p.name, &p.body, p.end, RepeatedSkips::Drop, &p.locals[..]));
    let claims = model.claims.iter().map(|c| (&*c.name, &c.body, c.end, RepeatedSkips::Keep, &c.locals[..]));
    let trace = model.event_trace.iter().map(|t| {
        let locals: &[Variable] = &[];
        (trace_name(t.negated), &t.body, t.end, RepeatedSkips::Drop, locals)
    });
    let suspicious = proctypes.chain(claims).chain(trace).filter(|(_, body, ..)| has_empty_sequence(body));
    let confusing = suspicious.filter_map(|(name, body, end, skips, locals)| {
        // Labels that somebody asks about make states of jumps, and a choice inside itself has no jump in it.
        let mut body = element::build(body, end, skips, &[]);
        choice_inside_itself(name, &link::link(&mut body, model, locals))
    });
    confusing.chain(beyond_spin(model)).collect()
}

/// An option leads to the choice around it only through the joint at its end, and begins with that only where it has no statement.
fn has_empty_sequence(body: &Sequence) -> bool {
    let mut found = false;
    body.visit(&mut |statement| {
        found |= statement.kind.sequences().iter().any(|sequence| sequence.statements.is_empty());
    });
    found
}

fn choice_inside_itself(name: &str, linked: &link::Linked) -> Option<Diagnostic> {
    let message = format!("the control flow of `{name}` contains a choice inside itself");
    let help = "put a statement between the jump and the choice";
    linked.confusing.map(|span| Diagnostic::error("S0001", span, message).with_help(help))
}

fn trace_name(negated: bool) -> &'static str {
    if negated { ":notrace:" } else { ":trace:" }
}

/// Says that SPIN could not run the model, where its declarations alone are too many.
fn beyond_spin(model: &Model) -> Option<Diagnostic> {
    if Limits::of(model) == Limits::SPIN {
        return None;
    }
    let channels = limits::declared_channels(model);
    let (message, span) = if channels > Limits::SPIN.channels {
        let largest = model.globals.iter().max_by_key(|variable| variable.slots)?;
        (format!("the model declares {channels} channels"), largest.span)
    } else {
        let largest = model.proctypes.iter().max_by_key(|proctype| proctype.active)?;
        (format!("{} processes start by themselves", limits::active_processes(model)), largest.span)
    };
    let help = "SPIN could not run this: it allows 255 processes and 255 channels; here both may be 65,535, but a `pid` holds 8 bits, so keep \
                process numbers in an `int`";
    Some(Diagnostic::warning(codes::BEYOND_SPIN, span, message).with_help(help))
}

struct Part<'a> {
    name: &'a str,
    kind: AutomatonKind,
    locals: &'a [Variable],
    body: &'a Sequence,
    end: Span,
    remotely_named: Vec<String>,
    reset_dead: bool,
}

fn lower_body(model: &Model, part: Part, diagnostics: &mut Vec<Diagnostic>) -> Automaton {
    let skips = match part.kind {
        AutomatonKind::Claim(_) => RepeatedSkips::Keep,
        _ => RepeatedSkips::Drop,
    };
    let mut body = element::build(part.body, part.end, skips, &part.remotely_named);
    let dead = if part.reset_dead { dead::dead_slots(&body, part.locals) } else { Default::default() };
    let linked = link::link(&mut body, model, part.locals);
    debug_assert!(linked.confusing.is_none() || has_empty_sequence(part.body), "`diagnose` would not see it");
    diagnostics.extend(choice_inside_itself(part.name, &linked));
    let mut edges = linked.edges;
    for (edge, element) in edges.iter_mut().zip(&linked.executes) {
        if let Some(slots) = dead.get(element) {
            edge.dead = slots.clone();
        }
    }
    let statement_numbers = linked.executes.iter().map(|&element| body.element(element).number).collect();
    // The end of a body is its last element but for jumps that became states of their own, which get numbers when all bodies have theirs.
    let ends = body.elements.iter().filter(|element| matches!(element.kind, element::Kind::End));
    let number_count = ends.map(|element| element.number).max().unwrap_or(0);
    Automaton {
        statement_numbers,
        number_count,
        name: part.name.to_string(),
        kind: part.kind,
        slots: slots(model, part.locals),
        initial: linked.initial,
        locations: linked.locations,
        edges,
        labels: linked.label_numbers,
    }
}

/// The scalars of a frame, named as a person would write them.
fn slots(model: &Model, variables: &[Variable]) -> Vec<Slot> {
    let mut out = Vec::new();
    for variable in variables {
        push_slots(model, &variable.name, variable.ty, variable.length, &mut out);
    }
    out
}

fn push_slots(model: &Model, name: &str, ty: Type, length: Option<u32>, out: &mut Vec<Slot>) {
    for i in 0..length.unwrap_or(1) {
        let name = if length.is_some() { format!("{name}[{i}]") } else { name.to_string() };
        match ty {
            Type::Scalar(scalar) => {
                let scalar = if length.is_some() { scalar.in_array() } else { scalar };
                out.push(Slot { name, scalar, hidden: false });
            }
            Type::Struct(id) => {
                for field in &model.typedefs[id.0 as usize].fields {
                    let path = format!("{name}.{}", field.name);
                    push_slots(model, &path, field.ty, field.length, out);
                }
            }
        }
    }
}
