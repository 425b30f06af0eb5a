//! Random walks that look ahead for values of components.
//!
//! A breadth-first search meets new values of components until late, and each time a component outgrows its field all states must be
//! packed anew. A random walk keeps no states, runs deep quickly and meets most values early. It only follows moves that
//! the model has, so what it teaches (values, executed statements) is true of the model.

use crate::explore::expand::{Arrival, Expander, Shared, Sink, lock};
use crate::explore::memo::RowMemory;
use crate::options::Limits;
use crate::packed::components::ComponentId;
use crate::packed::layout::{Layout, MOST_WORDS};
use system::clock::Instant;
use system::control::Control;

/// How far to look ahead each time a layout has become too small. Looking ahead makes new layouts rare, but a model that starts one
/// process after another needs a new one for each whatever was seen ahead, so all looks together cost no more than the search itself.
#[derive(Debug, Default)]
pub struct LookAhead {
    looked: u64,
}

impl LookAhead {
    /// How many moves are worth while after a search has made so many by itself.
    pub fn worth(&mut self, made: u64) -> u64 {
        let moves = made.max(FIRST_LOOK_AHEAD).saturating_sub(self.looked);
        self.looked += moves;
        moves
    }
}

/// Moves of the first look ahead.
const FIRST_LOOK_AHEAD: u64 = 1 << 12;

/// Walks from the initial state for that many moves, or until the time is up. Takes and gives what is remembered of steps.
pub fn scout(
    shared: &Shared<'_>,
    initial: &[u32],
    moves: u64,
    memory: RowMemory,
    (limits, control): (&Limits, &Control<'_>),
) -> RowMemory {
    let in_vain = (moves / MOVES_IN_VAIN).max(1);
    let mut walk = Walk { left: moves, in_vain, computed: None, random: 0x2545_F491_4F6C_DD1D, memory };
    let is_over = || {
        let late = limits.deadline.is_some_and(|at| Instant::now() > at);
        late || control.is_cancelled() || shared.budget.is_over()
    };
    for _ in 0..MOST_LAYOUTS {
        if walk.left == 0 || is_over() {
            break;
        }
        let layout = Layout::plan(&lock(&shared.knowledge).components);
        let Some(layout) = layout else { break };
        match layout.words() {
            1 => walk.go::<1>(shared, initial, layout, &is_over),
            2 => walk.go::<2>(shared, initial, layout, &is_over),
            4 => walk.go::<4>(shared, initial, layout, &is_over),
            16 => walk.go::<16>(shared, initial, layout, &is_over),
            _ => walk.go::<MOST_WORDS>(shared, initial, layout, &is_over),
        }
    }
    walk.memory
}

struct Walk {
    left: u64,
    /// After so many moves somebody looks whether they were in vain.
    in_vain: u64,
    /// How many steps had been computed when somebody last looked.
    computed: Option<u64>,
    random: u64,
    memory: RowMemory,
}

/// A model that outgrows this many layouts has no end of values; looking ahead for them does not pay.
const MOST_LAYOUTS: usize = 64;
/// An eighth of the moves, in which no step had to be computed, is the last one: there is little left to meet. The whole of a small model has been met
/// long before the moves are used up.
const MOVES_IN_VAIN: u64 = 8;
/// A walk that has not ended by itself begins anew after this many moves.
const LONGEST_WALK: u64 = 4096;

struct Arrivals<const N: usize>(Vec<[u64; N]>);

impl<const N: usize> Sink<N> for Arrivals<N> {
    const NEEDS_MARKS: bool = false;

    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        self.0.push(state);
    }

    fn problem(&mut self, _cause: u32, _arrival: Option<Arrival>) {}
}

impl Walk {
    /// Walks until the moves are used up, the time is up, or the layout is too small.
    fn go<const N: usize>(
        &mut self,
        shared: &Shared<'_>,
        initial: &[u32],
        layout: Layout,
        is_over: &dyn Fn() -> bool,
    ) {
        let start = layout
            .pack::<N>(|component: ComponentId| initial.get(component.0 as usize).copied().unwrap_or(0));
        let mut expander = {
            let knowledge = lock(&shared.knowledge);
            Expander::<N>::new(shared, layout, &knowledge.components, std::mem::take(&mut self.memory))
        };
        let mut arrivals = Arrivals(Vec::new());
        let (mut state, mut length) = (start, 0);
        while self.left > 0 {
            self.left -= 1;
            arrivals.0.clear();
            let outcome = expander.expand(&state, &mut arrivals);
            if outcome.is_err() || self.left.is_multiple_of(1024) && is_over() {
                break;
            }
            if self.left.is_multiple_of(self.in_vain) {
                let computed = lock(&shared.knowledge).computed_steps;
                if self.computed == Some(computed) {
                    self.left = 0;
                }
                self.computed = Some(computed);
            }
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            length += 1;
            (state, length) = match arrivals.0.len() {
                0 => (start, 0),
                _ if length > LONGEST_WALK => (start, 0),
                count => (arrivals.0[(self.random >> 32) as usize % count], length),
            };
        }
        self.memory = expander.into_memory();
    }
}
