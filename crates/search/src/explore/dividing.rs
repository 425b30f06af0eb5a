//! When the variables of processes are better components of their own.
//!
//! A process is one component, with all of its variables, and what it can do is remembered for each of its local states. That is little work and few bits
//! as long as there are few of them. A process that counts, or keeps a queue, has as many as its variables have values together, and hardly any of its steps
//! reads more than one or two of them: then steps are computed again and again that differ in nothing that they read. Measured by that, a
//! search begins anew, with the frames of such processes divided into their variables.

use crate::explore::expand::{Shared, lock};
use crate::packed::components::Component;
use crate::packed::layout::MOST_FLAT_BITS;
use crate::report::Counts;
use std::collections::{BTreeSet, HashSet};
use system::automaton::AutomatonId;

/// One step of so many is computed: that is often.
const COMPUTED_OFTEN: u64 = 16;
/// The same for states that would then be stored in a slower way.
const COMPUTED_MOSTLY: u64 = 4;
/// Processes with fewer local states than this are left as they are.
const FEW_LOCAL_STATES: usize = 64;
/// A process that stands, on average, at each place with fewer frames than this is left as it is.
const FEW_FRAMES: usize = 4;

/// The types whose frames are better divided after a search has come so far with a layout of so many bits; none if it is better to go on.
pub fn better_divided(shared: &Shared<'_>, counts: &Counts, bits: u32) -> Vec<AutomatonId> {
    let made = counts.transitions() + counts.atomic_steps;
    let is_computed = |often: u64| counts.computed_steps.saturating_mul(often) >= made;
    if !is_computed(COMPUTED_OFTEN) {
        return Vec::new();
    }
    let knowledge = lock(&shared.knowledge);
    let components = &knowledge.components;
    let (mut these, mut more_bits) = (BTreeSet::new(), 0);
    for component in components.ids() {
        let Component::Process(_) = components.kind(component) else { continue };
        // One process may have had several types; there is no need to be exact about that.
        let (mut types, mut places, mut values) = (BTreeSet::new(), HashSet::new(), Vec::new());
        let states = components.values(component);
        for number in 0..states as u32 {
            let Some((automaton, location)) = components.place(component, number) else { continue };
            let Some((_, frame)) = components.frame(component, number) else { continue };
            types.insert(automaton);
            places.insert((automaton, location));
            values.resize_with(values.len().max(frame.len()), HashSet::new);
            frame.iter().zip(&mut values).for_each(|(value, met)| {
                met.insert(*value);
            });
        }
        if states >= FEW_LOCAL_STATES && states >= FEW_FRAMES * places.len() {
            these.extend(types);
            let of_values: u32 = values.iter().map(|met| bits_for(met.len())).sum();
            more_bits += (bits_for(places.len() + 1) + of_values).saturating_sub(bits_for(states));
        }
    }
    let fits = bits + more_bits <= MOST_FLAT_BITS || is_computed(COMPUTED_MOSTLY);
    if fits { these.into_iter().collect() } else { Vec::new() }
}

fn bits_for(values: usize) -> u32 {
    values.next_power_of_two().ilog2()
}
