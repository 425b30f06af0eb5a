//! Initial values of frames: the globals at the start, a process's variables when it is started.

use promela::model::{ChannelTypeId, Initializer, Model, Type};

use crate::values::evaluate::{Environment, evaluate_for};
use crate::values::sets::Values;

/// One slot of a new frame.
#[derive(Clone, Debug)]
pub enum SlotStart {
    /// It holds one of these values.
    Values(Values),
    /// It denotes a channel that is created with the frame.
    Channel(ChannelTypeId),
}

/// How each slot of a variable starts, in the order of its slots.
pub fn starts<E: Environment>(
    model: &Model,
    ty: Type,
    length: Option<u32>,
    init: &Initializer,
    environment: &E,
) -> Vec<SlotStart> {
    let mut result = Vec::new();
    for element in 0..length.unwrap_or(1) as usize {
        match ty {
            Type::Scalar(scalar) => result.push(match init {
                Initializer::None => SlotStart::Values(Values::single(0)),
                Initializer::Expr(expr) => SlotStart::Values(evaluate_for(expr, scalar, environment)),
                Initializer::List(list) => match list.get(element).or(list.last()) {
                    Some(expr) => SlotStart::Values(evaluate_for(expr, scalar, environment)),
                    None => SlotStart::Values(Values::single(0)),
                },
                Initializer::Channel(channel) => SlotStart::Channel(*channel),
            }),
            Type::Struct(typedef) => {
                for field in &model.typedefs[typedef.0 as usize].fields {
                    result.extend(starts(model, field.ty, field.length, &field.init, environment));
                }
            }
        }
    }
    result
}

/// The types of the channels that are created with the globals, in the order in which they are created.
pub fn global_channels(model: &Model) -> Vec<ChannelTypeId> {
    let mut created = Vec::new();
    for variable in &model.globals {
        add_channels(model, variable.ty, variable.length, &variable.init, &mut created);
    }
    created
}

fn add_channels(
    model: &Model,
    ty: Type,
    length: Option<u32>,
    init: &Initializer,
    created: &mut Vec<ChannelTypeId>,
) {
    for _ in 0..length.unwrap_or(1) {
        match (ty, init) {
            (Type::Scalar(_), Initializer::Channel(channel)) => created.push(*channel),
            (Type::Scalar(_), _) => {}
            (Type::Struct(typedef), _) => {
                for field in &model.typedefs[typedef.0 as usize].fields {
                    add_channels(model, field.ty, field.length, &field.init, created);
                }
            }
        }
    }
}

/// Whether processes have channels of their own, which are created when they start.
pub fn processes_create_channels(model: &Model) -> bool {
    let mut locals = model.proctypes.iter().flat_map(|proctype| &proctype.locals);
    locals.any(|local| creates_channels(model, local.ty, &local.init))
}

fn creates_channels(model: &Model, ty: Type, init: &Initializer) -> bool {
    match (init, ty) {
        (Initializer::Channel(_), _) => true,
        (_, Type::Struct(typedef)) => {
            let fields = &model.typedefs[typedef.0 as usize].fields;
            fields.iter().any(|field| creates_channels(model, field.ty, &field.init))
        }
        _ => false,
    }
}
