//! Which candidates are worth while, and what the checker says of them.

use certificate::pump::{ConfirmedPump, PumpQuestion};
use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::ops::ControlFlow;
use system::automaton::System;
use system::interpreter::Step;
use system::state::ChannelId;

/// Judges candidates by [`ConfirmedPump::judge`], which knows all the conditions, and passes on what is accepted.
pub struct Judge<'j> {
    system: &'j System,
    question: &'j PumpQuestion,
    is_open: &'j dyn Fn(ChannelId) -> bool,
    found: &'j mut dyn FnMut(ConfirmedPump) -> ControlFlow<()>,
    /// How often candidates of one kind came along.
    tries: HashMap<u64, u32, FixedState>,
    /// How many were judged.
    pub candidates: u64,
    /// Nobody wants more.
    pub is_done: bool,
}

impl<'j> Judge<'j> {
    /// A judge of pumps that answer a question.
    pub fn new(
        system: &'j System,
        question: &'j PumpQuestion,
        is_open: &'j dyn Fn(ChannelId) -> bool,
        found: &'j mut dyn FnMut(ConfirmedPump) -> ControlFlow<()>,
    ) -> Judge<'j> {
        let tries = HashMap::default();
        Judge { system, question, is_open, found, tries, candidates: 0, is_done: false }
    }

    /// Whether a buffer still wants a pump.
    pub fn is_open(&self, channel: ChannelId) -> bool {
        (self.is_open)(channel)
    }

    /// Whether it would be of use that these channels grow. Without progress nothing has to.
    pub fn wants(&self, mut growing: impl Iterator<Item = ChannelId>) -> bool {
        matches!(self.question, PumpQuestion::Livelock(_)) || growing.any(|channel| self.is_open(channel))
    }

    /// Whether a candidate of this kind should be judged: most that are alike are refused for the same reason, so of those that come along
    /// one after another the first, the second, the fourth and so on are judged.
    pub fn is_worth_while(&mut self, kind: impl Hash) -> bool {
        let tries = self.tries.entry(FixedState::default().hash_one(kind)).or_default();
        *tries = tries.saturating_add(1);
        tries.is_power_of_two()
    }

    /// Judges a candidate. What it costs, in moves.
    pub fn judge(&mut self, prefix: &[Step], repeated: &[Step]) -> u64 {
        self.candidates += 1;
        if let Ok(pump) = ConfirmedPump::judge(self.system, self.question, prefix, repeated)
            && self.wants(pump.grows.iter().copied())
            && (self.found)(pump).is_break()
        {
            self.is_done = true;
        }
        MOVES_OF_A_JUDGED_STEP * (prefix.len() + 2 * repeated.len()) as u64
    }
}

/// Moves of a packed state that take as long as the checker takes for a step, roughly.
const MOVES_OF_A_JUDGED_STEP: u64 = 4;
