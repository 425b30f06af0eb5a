//! Which components of a state a computation looks at, in order.

use crate::packed::components::{ComponentId, Components};
use promela::model::Scalar;
use std::cell::RefCell;
use system::automaton::System;
use system::interpreter::Observer;
use system::state::{ChannelId, Pid};

/// Writes down which components of a state the semantics looks at.
#[derive(Debug)]
pub struct Recorder {
    touches: RefCell<Vec<Touch>>,
    /// Slots of channel variables: an event trace looks at them without a word.
    channel_slots: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Touch {
    Global(u32),
    Channel(ChannelId),
    Process(Pid),
    Shape,
    Last,
    EventTrace,
}

impl Recorder {
    pub(super) fn new(system: &System) -> Recorder {
        let slots = system.global_slots.iter().enumerate();
        let channel_slots = slots.filter(|(_, slot)| slot.scalar == Scalar::Chan).map(|(i, _)| i as u32);
        Recorder { touches: RefCell::default(), channel_slots: channel_slots.collect() }
    }

    pub(super) fn clear(&mut self) {
        self.touches.get_mut().clear();
    }

    /// Appends what was touched, in the order in which it was; some more than once.
    pub(super) fn components(&self, components: &Components, out: &mut Vec<ComponentId>) {
        for &touch in &*self.touches.borrow() {
            match touch {
                Touch::Global(slot) => out.push(components.global(slot)),
                Touch::Channel(id) => out.extend(components.channel(id)),
                Touch::Process(pid) => out.extend(components.process(pid)),
                Touch::Shape => out.push(components.shape()),
                Touch::Last => out.push(components.last()),
                Touch::EventTrace => {
                    out.push(components.event_trace());
                    out.extend(self.channel_slots.iter().map(|&slot| components.global(slot)));
                }
            }
        }
    }

    fn note(&self, touch: Touch) {
        let mut touches = self.touches.borrow_mut();
        if touches.last() != Some(&touch) {
            touches.push(touch);
        }
    }
}

impl Observer for Recorder {
    fn read_global(&self, slot: u32) {
        self.note(Touch::Global(slot));
    }

    fn read_channel(&self, id: ChannelId) {
        self.note(Touch::Channel(id));
    }

    fn read_process(&self, pid: Pid) {
        self.note(Touch::Process(pid));
    }

    fn read_number_of_processes(&self) {
        self.note(Touch::Shape);
    }

    fn read_number_of_channels(&self) {
        self.note(Touch::Shape);
    }

    fn read_last(&self) {
        self.note(Touch::Last);
    }

    fn read_event_trace(&self) {
        self.note(Touch::EventTrace);
    }
}
