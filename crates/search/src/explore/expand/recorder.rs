//! Which components of a state a computation looks at, in order.

use crate::packed::components::{ComponentId, Components};
use promela::model::Scalar;
use std::cell::RefCell;
use system::automaton::System;
use system::interpreter::Observer;
use system::state::{ChannelId, Pid, State};

/// Writes down which components of a state the semantics looks at.
#[derive(Debug)]
pub struct Recorder {
    touches: RefCell<Vec<Touch>>,
    /// Slots of channel variables: an event trace looks at them without a word.
    channel_slots: Vec<u32>,
    /// Variables of processes are components of their own.
    with_locals: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Touch {
    Global(u32),
    Channel(ChannelId),
    Process(Pid),
    Place(Pid),
    Local(Pid, u32),
    Shape,
    Last,
    EventTrace,
}

impl Recorder {
    pub(super) fn new(system: &System, with_locals: bool) -> Recorder {
        let slots = system.global_slots.iter().enumerate();
        let channel_slots = slots.filter(|(_, slot)| slot.scalar == Scalar::Chan).map(|(i, _)| i as u32);
        Recorder { touches: RefCell::default(), channel_slots: channel_slots.collect(), with_locals }
    }

    /// One that has written nothing down.
    pub(super) fn another(&self) -> Recorder {
        let Recorder { channel_slots, with_locals, .. } = self;
        Recorder {
            touches: RefCell::default(),
            channel_slots: channel_slots.clone(),
            with_locals: *with_locals,
        }
    }

    pub(super) fn clear(&mut self) {
        self.touches.get_mut().clear();
    }

    /// Appends what was touched in a state, in the order in which it was; some more than once.
    pub(super) fn components(&self, components: &Components, state: &State, out: &mut Vec<ComponentId>) {
        for &touch in &*self.touches.borrow() {
            match touch {
                Touch::Global(slot) => out.push(components.global(slot)),
                Touch::Channel(id) => out.extend(components.channel(id)),
                Touch::Process(pid) => {
                    out.extend(components.process(pid));
                    out.extend(components.frame_pieces(pid));
                }
                Touch::Place(pid) => out.extend(components.process(pid)),
                Touch::Local(pid, slot) => {
                    // Of a process that the step starts nothing was there before.
                    let process = state.processes.get(pid.0 as usize);
                    out.extend(process.and_then(|process| components.local(pid, process.automaton, slot)));
                }
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

    fn read_place(&self, pid: Pid) {
        self.note(Touch::Place(pid));
    }

    fn read_local(&self, pid: Pid, slot: u32) {
        if self.with_locals {
            self.note(Touch::Local(pid, slot));
        }
    }

    fn write_local(&self, pid: Pid, slot: u32) {
        self.read_local(pid, slot);
    }

    fn clear_local(&self, pid: Pid, slot: u32) {
        self.read_local(pid, slot);
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
