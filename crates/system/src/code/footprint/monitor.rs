//! Watches, in builds with debug assertions, that what is really touched was described.

use super::Footprint;
use crate::interpreter::{Interpreter, Observer, Step};
use crate::state::{ChannelId, Pid, State};
use promela::model::ProctypeId;

/// Tells an observer everything, and panics if something is touched that the footprint does not have.
pub(crate) struct Monitor<'a, O> {
    observer: &'a O,
    /// Each for the state and for any state: whatever is touched is in one of each.
    described: [Vec<Footprint>; 2],
}

impl<'a, O: Observer> Monitor<'a, O> {
    /// For the guards of the statements where a process stands.
    pub fn of_guards(interpreter: &Interpreter<'_>, state: &State, pid: Pid, observer: &'a O) -> Self {
        let mut described = [Vec::new(), Vec::new()];
        if cfg!(debug_assertions) {
            let process = &state.processes[pid.0 as usize];
            let edges = &interpreter.system.automaton(process.automaton).location(process.location).edges;
            described[0].extend(edges.iter().map(|&edge| interpreter.footprint(state, pid, edge)));
        }
        Monitor { observer, described }
    }

    /// For a step.
    pub fn of_step(interpreter: &Interpreter<'_>, state: &State, step: Step, observer: &'a O) -> Self {
        let mut described = [Vec::new(), Vec::new()];
        if cfg!(debug_assertions) {
            let partner = step.partner.map(|partner| (partner.process, partner.edge));
            for (pid, edge) in [Some((step.process, step.edge)), partner].into_iter().flatten() {
                described[0].push(interpreter.footprint(state, pid, edge));
                let automaton = state.processes[pid.0 as usize].automaton;
                described[1].push(interpreter.static_footprint(automaton, edge));
            }
        }
        Monitor { observer, described }
    }

    fn check(&self, what: &dyn Fn() -> String, is_described: &dyn Fn(&Footprint) -> bool) {
        if cfg!(debug_assertions) {
            // Who asks other processes may ask anything about them.
            let fits = |f: &Footprint| f.processes.anything || is_described(f);
            let all_fit = self.described.iter().all(|each| each.is_empty() || each.iter().any(fits));
            assert!(all_fit, "{} is touched but was not described: {:?}", what(), self.described);
        }
    }
}

impl<O: Observer> Observer for Monitor<'_, O> {
    fn read_global(&self, slot: u32) {
        self.check(&|| format!("global slot {slot}"), &|f| f.reads.contains(slot));
        self.observer.read_global(slot);
    }

    fn write_global(&self, slot: u32) {
        self.check(&|| format!("writing of global slot {slot}"), &|f| f.writes.contains(slot));
        self.observer.write_global(slot);
    }

    fn read_local(&self, pid: Pid, slot: u32) {
        self.observer.read_local(pid, slot);
    }

    fn write_local(&self, pid: Pid, slot: u32) {
        self.check(&|| format!("writing of slot {slot}"), &|f| f.local_writes.contains(slot));
        self.observer.write_local(pid, slot);
    }

    fn clear_local(&self, pid: Pid, slot: u32) {
        self.observer.clear_local(pid, slot);
    }

    fn sent(&self, id: ChannelId) {
        self.check(&|| format!("sending to {id:?}"), &|f| f.sends.contains(id));
        self.observer.sent(id);
    }

    fn received(&self, id: ChannelId) {
        self.check(&|| format!("receiving from {id:?}"), &|f| f.receives.contains(id));
        self.observer.received(id);
    }

    fn started(&self, proctype: ProctypeId) {
        self.check(&|| format!("a start of {proctype:?}"), &|f| f.starts.contains(&proctype));
        self.observer.started(proctype);
    }

    fn read_channel(&self, id: ChannelId) {
        let uses = |f: &Footprint| {
            [&f.sends, &f.receives, &f.looks, &f.awaits_message, &f.awaits_room]
                .into_iter()
                .any(|channels| channels.contains(id))
        };
        self.check(&|| format!("{id:?}"), &uses);
        self.observer.read_channel(id);
    }

    fn read_process(&self, pid: Pid) {
        self.check(&|| format!("process {pid:?}"), &|f| !f.processes.is_empty());
        self.observer.read_process(pid);
    }

    fn read_place(&self, pid: Pid) {
        self.check(&|| format!("process {pid:?}"), &|f| !f.processes.is_empty());
        self.observer.read_place(pid);
    }

    fn read_number_of_processes(&self) {
        self.check(&|| "the number of processes".to_string(), &|f| f.number_of_processes);
        self.observer.read_number_of_processes();
    }

    fn read_number_of_channels(&self) {
        // A channel that is gone is an error, whoever asks for it.
        self.check(&|| "the number of channels".to_string(), &|f| f.number_of_channels || f.may_fail);
        self.observer.read_number_of_channels();
    }

    fn read_last(&self) {
        self.check(&|| "who moved last".to_string(), &|f| f.last);
        self.observer.read_last();
    }

    fn read_timeout(&self) {
        self.check(&|| "timeout".to_string(), &|f| f.timeout);
        self.observer.read_timeout();
    }

    fn read_event_trace(&self) {
        self.check(&|| "the event trace".to_string(), &|f| f.event_trace);
        self.observer.read_event_trace();
    }
}
