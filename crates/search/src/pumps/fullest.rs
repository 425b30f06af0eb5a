//! A run to a state in which a buffer holds many messages.

use super::DirectedOutcome;
use super::ground::{self, Ground, Journey, Meter, Suspended};
use super::tree::{Grown, Id, Order, Scope, Tree};
use crate::explore::expand::LayoutIsFull;
use crate::options::{Limits, Properties};
use crate::prepare_with;
use crate::report::StopReason;
use certificate::trace::{Trace, replay};
use system::automaton::System;
use system::code::slice::without_what_nobody_needs;
use system::control::Control;
use system::interpreter::{Capacities, Interpreter, RuntimeError, Step};
use system::state::{ChannelId, State};

/// The fullest state that was found.
#[derive(Clone, Debug)]
pub struct Fullest {
    /// The steps to it from the initial state; they were replayed.
    pub steps: Vec<Step>,
    /// Messages in the buffer after these steps. Inside of a `d_step` it may have held more.
    pub messages: u32,
    /// [`DirectedOutcome::Exhausted`]: there is no fuller state within SPIN's limits on the numbers of processes and channels.
    pub outcome: DirectedOutcome,
}

/// Looks for a run after which a buffer holds at least so many messages; states in which it is fuller come first, and of those the ones
/// that were reached sooner. The error is that of a model without an initial state.
pub fn find(
    system: &System,
    capacities: Capacities,
    buffer: ChannelId,
    wanted: u32,
    limits: &Limits,
    control: &Control<'_>,
) -> Result<Fullest, RuntimeError> {
    // Finite runs of the one are runs of the other.
    let slice = without_what_nobody_needs(system, &[]);
    let searched = slice.as_ref().map_or(system, |slice| &slice.system);
    let interpreter = Interpreter::new(searched, capacities);
    let (shared, initial) = prepare_with(interpreter, Properties::none(), limits, 1, None)?;
    let mut climb = Climb {
        buffer,
        wanted,
        meter: Meter::new(limits, &shared.budget, control),
        tree: Tree::new(Scope::default(), Order::Fullest(buffer), false, &shared.budget),
        seen: 0,
        best: (0, 0),
    };
    let nothing = |reason: StopReason| {
        let outcome = DirectedOutcome::Stopped(reason);
        Ok(Fullest { steps: Vec::new(), messages: 0, outcome })
    };
    let (steps, outcome) = match ground::run(&shared, &initial, &mut Suspended::default(), &mut climb) {
        Ok(reached) => reached,
        Err(reason) => return nothing(reason),
    };
    let trace = Trace::new(system, capacities, &steps, None);
    let replayed = replay(system, &trace);
    let end = replayed.as_ref().ok().map(|replay| replay.state_before(steps.len()));
    if end.map(|state| messages_in(system, state, buffer)) != Some(climb.best.0) {
        return nothing(StopReason::TraceNotConfirmed);
    }
    Ok(Fullest { steps, messages: climb.best.0, outcome })
}

/// How many messages a channel holds in a state; 0 if there is no such channel.
fn messages_in(system: &System, state: &State, channel: ChannelId) -> u32 {
    state.channels.get(channel.0 as usize).map_or(0, |channel| {
        let fields = system.model.channel_types[channel.channel_type.0 as usize].fields.len().max(1);
        (channel.contents.len() / fields) as u32
    })
}

struct Climb<'c> {
    buffer: ChannelId,
    wanted: u32,
    meter: Meter<'c>,
    tree: Tree,
    /// States that were looked at.
    seen: Id,
    /// The most messages, and the first state that has so many.
    best: (u32, Id),
}

/// States between two looks at the limits.
const A_WHILE: usize = 128;

impl Climb<'_> {
    fn climb<const N: usize>(
        &mut self,
        ground: &mut Ground<'_, '_, N>,
    ) -> Result<DirectedOutcome, LayoutIsFull> {
        self.tree.plant(ground)?;
        // The limits are looked at first of all: layouts may become too small one after another.
        for expanded in 0.. {
            while (self.seen as usize) < self.tree.len() {
                let messages = ground.messages_of(&self.tree.state(self.seen), self.buffer);
                if messages > self.best.0 {
                    self.best = (messages, self.seen);
                }
                self.seen += 1;
            }
            if self.best.0 >= self.wanted {
                return Ok(DirectedOutcome::Reached);
            }
            if expanded % A_WHILE == 0
                && let Some(reason) = self.meter.over(self.tree.len() as u64)
            {
                return Ok(DirectedOutcome::Stopped(reason));
            }
            if self.tree.grow(ground)? == Grown::Exhausted {
                break;
            }
        }
        Ok(DirectedOutcome::Exhausted)
    }
}

impl Journey for Climb<'_> {
    type End = (Vec<Step>, DirectedOutcome);

    fn trees(&mut self) -> Vec<&mut Tree> {
        vec![&mut self.tree]
    }

    fn travel<const N: usize>(&mut self, ground: &mut Ground<'_, '_, N>) -> Result<Self::End, LayoutIsFull> {
        let outcome = self.climb(ground)?;
        Ok((self.tree.path(ground, None, self.best.1)?, outcome))
    }
}
