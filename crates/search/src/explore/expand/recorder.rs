//! Which components of a state a computation looks at.

use crate::packed::components::{ComponentId, Components};
use promela::model::Scalar;
use std::cell::RefCell;
use system::automaton::System;
use system::interpreter::Observer;
use system::state::{ChannelId, Pid};

/// Writes down which components of a state the semantics looks at.
#[derive(Debug)]
pub struct Recorder {
    globals: RefCell<Vec<u32>>,
    channels: RefCell<Vec<ChannelId>>,
    processes: RefCell<Vec<Pid>>,
    flags: RefCell<[bool; 3]>,
    /// Slots of channel variables: an event trace looks at them without a word.
    channel_slots: Vec<u32>,
}

impl Recorder {
    pub(super) fn new(system: &System) -> Recorder {
        let slots = system.global_slots.iter().enumerate();
        Recorder {
            globals: RefCell::default(),
            channels: RefCell::default(),
            processes: RefCell::default(),
            flags: RefCell::default(),
            channel_slots: slots
                .filter(|(_, slot)| slot.scalar == Scalar::Chan)
                .map(|(i, _)| i as u32)
                .collect(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.globals.get_mut().clear();
        self.channels.get_mut().clear();
        self.processes.get_mut().clear();
        *self.flags.get_mut() = [false; 3];
    }

    pub(super) fn components(&self, components: &Components, out: &mut Vec<ComponentId>) {
        out.extend(self.globals.borrow().iter().map(|&slot| components.global(slot)));
        out.extend(self.channels.borrow().iter().filter_map(|&id| components.channel(id)));
        out.extend(self.processes.borrow().iter().filter_map(|&pid| components.process(pid)));
        let [shape, last, event_trace] = *self.flags.borrow();
        out.extend(shape.then(|| components.shape()));
        out.extend(last.then(|| components.last()));
        if event_trace {
            out.push(components.event_trace());
            out.extend(self.channel_slots.iter().map(|&slot| components.global(slot)));
        }
    }
}

impl Observer for Recorder {
    fn read_global(&self, slot: u32) {
        self.globals.borrow_mut().push(slot);
    }

    fn read_channel(&self, id: ChannelId) {
        self.channels.borrow_mut().push(id);
    }

    fn read_process(&self, pid: Pid) {
        self.processes.borrow_mut().push(pid);
    }

    fn read_number_of_processes(&self) {
        self.flags.borrow_mut()[0] = true;
    }

    fn read_number_of_channels(&self) {
        self.flags.borrow_mut()[0] = true;
    }

    fn read_last(&self) {
        self.flags.borrow_mut()[1] = true;
    }

    fn read_event_trace(&self) {
        self.flags.borrow_mut()[2] = true;
    }
}
