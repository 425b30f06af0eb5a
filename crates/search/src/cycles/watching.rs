//! Which moves a monitor has in a state, remembered.
//!
//! A guard looks at few components of a state. For each location of the monitor there is the set of components that its guards were seen to
//! look at, as a mask over packed states, and for each combination of their values the list of enabled edges; as with the steps of
//! processes ([`crate::explore::memo`]), a list is remembered only under a mask that covers all that was read to find it.

use crate::cycles::product::Trouble;
use crate::explore::expand::Expander;
use crate::explore::memo_cache::Cache;
use crate::monitor::Monitor;
use crate::packed::bits::extract_words;
use crate::packed::components::ComponentId;
use crate::packed::layout::Layout;
use foldhash::quality::FixedState;
use std::collections::HashMap;

/// What a monitor can do in a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Watching {
    /// One of the enabled edges completes the monitor.
    pub completes: bool,
    /// Targets and marks of the enabled edges.
    pub edges: Vec<(u32, u32)>,
}

/// Index of a [`Watching`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchingId(u32);

/// What is remembered of a monitor's moves.
pub struct Guards<const N: usize> {
    locations: Vec<Guard<N>>,
    known: Cache,
    lists: Vec<Watching>,
    numbers: HashMap<Watching, u32, FixedState>,
    touched: Vec<ComponentId>,
    next_row: u32,
}

struct Guard<const N: usize> {
    covered: Vec<ComponentId>,
    mask: [u64; N],
    /// Its number in the cache; `None` if its mask has too many bits.
    row: Option<u32>,
}

/// Lists in the cache beyond which all are forgotten.
const MOST_KNOWN: usize = 1 << 22;

impl<const N: usize> Guards<N> {
    /// Nothing is known yet.
    pub fn new(monitor: &Monitor) -> Guards<N> {
        let rows = 0..monitor.locations.len() as u32;
        Guards {
            next_row: rows.end,
            locations: rows.map(|row| Guard { covered: Vec::new(), mask: [0; N], row: Some(row) }).collect(),
            known: Cache::default(),
            lists: Vec::new(),
            numbers: HashMap::default(),
            touched: Vec::new(),
        }
    }

    /// Bytes of memory in use, also while they are copied to a larger place.
    pub fn bytes(&self) -> usize {
        3 * self.known.bytes()
    }

    /// What the monitor can do at a location in a state.
    #[inline(always)]
    pub fn watch(
        &mut self,
        monitor: &Monitor,
        expander: &mut Expander<'_, '_, N>,
        state: &[u64; N],
        location: u32,
    ) -> Result<WatchingId, Trouble> {
        let guard = &self.locations[location as usize];
        if let Some(row) = guard.row {
            let entry = self.known.get(row, extract_words(state, &guard.mask));
            if entry != 0 {
                return Ok(WatchingId(entry - 1));
            }
        }
        self.evaluate(monitor, expander, state, location)
    }

    /// The list with an index.
    #[inline(always)]
    pub fn list(&self, id: WatchingId) -> &Watching {
        &self.lists[id.0 as usize]
    }

    #[cold]
    #[inline(never)]
    fn evaluate(
        &mut self,
        monitor: &Monitor,
        expander: &mut Expander<'_, '_, N>,
        state: &[u64; N],
        location: u32,
    ) -> Result<WatchingId, Trouble> {
        self.touched.clear();
        let edges = &monitor.locations[location as usize].edges;
        let enabled = expander.observe(state, &mut self.touched, |interpreter, values, observer| {
            let mut enabled = Vec::new();
            for edge in edges {
                let mut holds = !edge.otherwise || enabled.is_empty();
                for (expression, wanted) in &edge.guard {
                    let value = interpreter.evaluate_observed(values, None, expression, observer);
                    holds = (value.map_err(|_| Trouble::Guard)? != 0) == *wanted;
                    if !holds {
                        break;
                    }
                }
                enabled.extend(holds.then_some(edge));
            }
            Ok(enabled)
        })?;
        let watching = Watching {
            completes: enabled.iter().any(|edge| monitor.locations[edge.target as usize].completes),
            edges: without_lesser(enabled.iter().map(|edge| (edge.target, edge.marks))),
        };
        let number = *self.numbers.entry(watching).or_insert_with_key(|watching| {
            self.lists.push(watching.clone());
            self.lists.len() as u32 - 1
        });
        self.remember(expander.layout(), state, location, number);
        Ok(WatchingId(number))
    }

    fn remember(&mut self, layout: &Layout, state: &[u64; N], location: u32, number: u32) {
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let guard = &mut self.locations[location as usize];
        if self.touched.iter().any(|component| !guard.covered.contains(component)) {
            guard.covered.append(&mut self.touched);
            guard.covered.sort_unstable();
            guard.covered.dedup();
            guard.mask = [0; N];
            for &component in &guard.covered {
                let field = layout.field(component);
                if field.width > 0 {
                    guard.mask[field.word as usize] |= field.mask();
                }
            }
            let bits: u32 = guard.mask.iter().map(|word| word.count_ones()).sum();
            // A fresh number: lists under the old mask are never found again.
            guard.row = (bits <= 64).then_some(self.next_row);
            self.next_row += 1;
        }
        if let Some(row) = guard.row {
            self.known.insert(row, extract_words(state, &guard.mask), number + 1);
        }
    }
}

/// Of several moves to one location, those whose marks are not among another's: the others accept nothing that these do not.
fn without_lesser(moves: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut kept: Vec<(u32, u32)> = Vec::new();
    for (target, marks) in moves {
        let is_lesser = |a: u32, b: u32| a & b == a;
        if kept.iter().any(|&(other, more)| other == target && is_lesser(marks, more)) {
            continue;
        }
        kept.retain(|&(other, less)| other != target || !is_lesser(less, marks));
        kept.push((target, marks));
    }
    kept
}
