//! The state at hand as plain values, for the semantics.
//!
//! Consecutive states differ in few components, and so do a state and what a step makes of it. So values are kept, and only what differs is
//! written: nothing is allocated for a state that has the shape of the one before.

use crate::packed::components::{ComponentId, Components, Decoded};
use crate::packed::layout::Layout;
use system::state::{Channel, Process, State};

/// The values of a packed state.
#[derive(Clone, Debug)]
pub struct Values<const N: usize> {
    decoded: Decoded,
    /// Which state they are of.
    of: Option<[u64; N]>,
    /// The same values, for a step to be executed on; if `is_scratch_good`.
    scratch: State,
    is_scratch_good: bool,
    components_of_bits: Box<[[ComponentId; 64]; N]>,
}

impl<const N: usize> Values<N> {
    /// Of no state yet.
    pub fn new(components: &Components, layout: &Layout) -> Values<N> {
        let decoded = components.decoded();
        let scratch = decoded.state.clone();
        let components_of_bits = layout.components_of_bits();
        Values { decoded, of: None, scratch, is_scratch_good: false, components_of_bits }
    }

    /// Makes them those of a state.
    pub fn decode(&mut self, components: &Components, layout: &Layout, state: &[u64; N]) {
        let number = |component| layout.number(state, component);
        match self.of {
            Some(of) if layout.number(&of, components.shape()) == number(components.shape()) => {
                self.decoded.numbers.resize(components.len(), 0);
                let mut keeps_types = true;
                for word in 0..N {
                    let mut different = of[word] ^ state[word];
                    while different != 0 {
                        let component = self.components_of_bits[word][different.trailing_zeros() as usize];
                        let field = layout.field(component);
                        different &= !field.mask();
                        let number = field.get(state);
                        self.decoded.numbers[component.0 as usize] = number;
                        keeps_types &= components.keeps_type(component, number, &self.decoded.state);
                        components.write(component, number, &mut self.decoded.state);
                        if self.is_scratch_good {
                            components.write(component, number, &mut self.scratch);
                        }
                    }
                }
                if !keeps_types && components.has_divided() {
                    // Which pieces make up a frame depends on the type, and they may have come before it.
                    self.decoded.numbers.clear();
                    components.decode(number, &mut self.decoded);
                    self.is_scratch_good = false;
                }
            }
            _ => {
                components.decode(number, &mut self.decoded);
                self.is_scratch_good = false;
            }
        }
        self.of = Some(*state);
    }

    /// The values.
    pub fn state(&self) -> &State {
        &self.decoded.state
    }

    /// The values, and a copy that may be changed.
    pub fn with_scratch(&mut self) -> (&Decoded, &mut State) {
        if !std::mem::replace(&mut self.is_scratch_good, true) {
            copy(&self.decoded.state, &mut self.scratch);
        }
        (&self.decoded, &mut self.scratch)
    }

    /// Undoes changes of the copy in some components; `None`: wherever they are.
    pub fn restore(&mut self, components: &Components, changed: Option<&[(ComponentId, u32)]>) {
        self.scratch.exclusive = None;
        match changed {
            Some(changed) if changed.iter().all(|&(component, _)| component != components.shape()) => {
                for &(component, _) in changed {
                    let number = self.decoded.numbers[component.0 as usize];
                    components.write(component, number, &mut self.scratch);
                }
            }
            _ => self.is_scratch_good = false,
        }
    }
}

/// Makes a state like another, in the places that it has.
pub fn copy(from: &State, to: &mut State) {
    let State { globals, processes, channels, last, exclusive, event_trace } = from;
    to.globals.clone_from(globals);
    to.processes.truncate(processes.len());
    for (from, to) in processes.iter().zip(&mut to.processes) {
        let Process { automaton, location, locals, priority } = from;
        to.locals.clone_from(locals);
        (to.automaton, to.location, to.priority) = (*automaton, *location, *priority);
    }
    to.processes.extend_from_slice(&processes[to.processes.len()..]);
    to.channels.truncate(channels.len());
    for (from, to) in channels.iter().zip(&mut to.channels) {
        let Channel { channel_type, owner, contents } = from;
        to.contents.clone_from(contents);
        (to.channel_type, to.owner) = (*channel_type, *owner);
    }
    to.channels.extend_from_slice(&channels[to.channels.len()..]);
    (to.last, to.exclusive, to.event_trace) = (*last, *exclusive, *event_trace);
}
