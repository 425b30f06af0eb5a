//! How many processes and channels a system may have at once.
//!
//! SPIN numbers both in a byte, and a model within that is run exactly as SPIN runs it: the process too many is an error. A model that declares more
//! than 255 channels or active processes is one that SPIN cannot run at all; it gets wider numbers, so that proofs about it
//! mean something. What decides is the declarations alone: no run of a model changes its limits.

use promela::model::{Initializer, Model, Scalar, Type};

/// Limits on what exists at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many processes.
    pub processes: usize,
    /// How many channels.
    pub channels: usize,
}

impl Limits {
    /// What SPIN allows.
    pub const SPIN: Limits = Limits { processes: 255, channels: 255 };
    /// What a model that SPIN cannot run may have.
    pub const WIDE: Limits = Limits { processes: 65_535, channels: 65_535 };

    /// The limits of a model.
    pub fn of(model: &Model) -> Limits {
        let is_within = declared_channels(model) <= Limits::SPIN.channels
            && active_processes(model) <= Limits::SPIN.processes;
        if is_within { Limits::SPIN } else { Limits::WIDE }
    }

    /// What a variable or a message field of the type holds after `value` was stored in it: numbers of channels are as wide as
    /// there are channels, everything else is as SPIN has it (a `pid` holds 8 bits).
    #[inline]
    pub fn stored(self, scalar: Scalar, value: i32) -> i32 {
        match scalar {
            Scalar::Chan if self.channels > Limits::SPIN.channels => value & 0xffff,
            _ => scalar.truncate(value),
        }
    }
}

/// How many channels the global variables create.
pub fn declared_channels(model: &Model) -> usize {
    model
        .globals
        .iter()
        .map(|variable| channels_in(model, variable.length, variable.ty, &variable.init))
        .fold(0, usize::saturating_add)
}

/// How many processes start by themselves.
pub fn active_processes(model: &Model) -> usize {
    model.proctypes.iter().map(|proctype| proctype.active as usize).sum()
}

fn channels_in(model: &Model, length: Option<u32>, ty: Type, init: &Initializer) -> usize {
    let each = match (init, ty) {
        (Initializer::Channel(_), _) => 1,
        (Initializer::None, Type::Struct(id)) => model.typedefs[id.0 as usize]
            .fields
            .iter()
            .map(|field| channels_in(model, field.length, field.ty, &field.init))
            .fold(0, usize::saturating_add),
        _ => 0,
    };
    each.saturating_mul(length.unwrap_or(1) as usize)
}
