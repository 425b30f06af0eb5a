//! A second net: a certificate's claims and potentials, watched along runs of the interpreter.
//!
//! The checker reasons about statements over sets of values; a [`Monitor`] shares none of that reasoning. It looks at real
//! states, so a mistake in the checker shows itself as a claim that a run breaks.

use crate::Certificate;
use crate::check::{Configuration, number_value};
use crate::claims::{GroupId, NodeId, ObjectId};
use crate::potential::{BufferBound, NodeWeight, Proof};
use system::automaton::System;
use system::state::State;

/// Watches one run from its initial state on.
pub struct Monitor<'a> {
    system: &'a System,
    certificate: &'a Certificate,
    groups: Vec<GroupId>,
    starts: Vec<u64>,
}

/// A claim or a proof that a run breaks: a defect of the checker, or a certificate that was not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// What, and with which values.
    pub what: String,
}

impl<'a> Monitor<'a> {
    /// A monitor for a certificate that was checked.
    pub fn new(system: &'a System, certificate: &'a Certificate) -> Self {
        let starts = vec![0; certificate.claims.groups.len()];
        Monitor { system, certificate, groups: Vec::new(), starts }
    }

    /// Looks at the next state of the run (the initial one first). Must see every state, so that it knows who was started.
    pub fn observe(&mut self, state: &State) -> Result<(), Broken> {
        let claims = &self.certificate.claims;
        self.groups.truncate(state.processes.len());
        // A process that ended and one that was started look alike if nothing happened between; the automaton tells some.
        let same = |(group, process): (&GroupId, &system::state::Process)| {
            claims.groups[group.index()].automaton == process.automaton.0
        };
        let known = self.groups.iter().zip(&state.processes).take_while(|pair| same(*pair)).count();
        self.groups.truncate(known);
        let configuration = Configuration::of(self.system, claims, state.clone(), &self.groups)
            .map_err(|what| Broken { what })?;
        for group in &configuration.groups[known..] {
            self.starts[group.index()] += 1;
        }
        self.groups.clone_from(&configuration.groups);
        if let Some(what) = configuration.broken_claim(self.system, claims) {
            return Err(Broken { what });
        }
        self.sizes_hold()?;
        self.messages_are_claimed(&configuration)?;
        self.nodes_exist(&configuration)?;
        self.proofs_hold(&configuration)
    }

    fn sizes_hold(&self) -> Result<(), Broken> {
        for (index, group) in self.certificate.claims.groups.iter().enumerate() {
            let started = self.starts[index];
            if group.at_most.is_some_and(|at_most| started > u64::from(at_most)) {
                return Err(Broken { what: format!("group {index} has had {started} processes") });
            }
        }
        Ok(())
    }

    /// An invariant says that nobody stands in a node that weighs more than its total.
    fn is_barred(&self, group: GroupId, node: usize) -> bool {
        self.certificate.claims.invariants.iter().any(|invariant| {
            let here = |weight: &&NodeWeight| weight.group == group && weight.node.index() == node;
            let weight = invariant.potential.nodes.iter().find(here);
            invariant.potential.numbers.is_empty()
                && weight.is_some_and(|weight| weight.weight > invariant.total)
        })
    }

    fn messages_are_claimed(&self, configuration: &Configuration) -> Result<(), Broken> {
        for (index, channel) in configuration.state.channels.iter().enumerate() {
            let fields = self.system.model.channel_types[channel.channel_type.0 as usize].fields.len();
            for message in channel.contents.chunks(fields.max(1)) {
                if self.class_of(configuration, index, message).is_none() {
                    return Err(Broken {
                        what: format!("channel {index} holds {message:?}, which is in no class"),
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether every number is in its range, with a process in the node (or at all times).
    fn numbers_hold(&self, configuration: &Configuration, at: Option<(GroupId, NodeId)>) -> bool {
        self.certificate.claims.numbers.iter().all(|number| {
            let range = number.range_at(at);
            number_value(number, configuration)
                .is_some_and(|value| i64::from(range.low) <= value && value <= i64::from(range.high))
        })
    }

    fn nodes_exist(&self, configuration: &Configuration) -> Result<(), Broken> {
        if !self.numbers_hold(configuration, None) {
            return Err(Broken { what: "a number is not in its range".into() });
        }
        for (index, group) in configuration.groups.iter().enumerate() {
            let mut nodes = self.certificate.claims.groups[group.index()].nodes.iter().enumerate();
            let stands = |(number, node)| {
                configuration.is_in_node(index, node)
                    && !self.is_barred(*group, number)
                    && self.numbers_hold(configuration, Some((*group, NodeId(number as u32))))
            };
            if !nodes.any(stands) {
                return Err(Broken { what: format!("process {index} is in no node of group {}", group.0) });
            }
        }
        for (index, tracker) in self.certificate.claims.trackers.iter().enumerate() {
            let globals = &configuration.state.globals;
            let holds = tracker.nodes.iter().any(|sets| {
                let mut slots = tracker.slots.iter().zip(sets);
                slots.all(|(&slot, values)| configuration.allows(values, globals[slot as usize]))
            });
            if !holds {
                return Err(Broken { what: format!("tracker {index} is in no node") });
            }
        }
        Ok(())
    }

    fn proofs_hold(&self, configuration: &Configuration) -> Result<(), Broken> {
        for (number, proof) in self.certificate.proofs.iter().enumerate() {
            match proof {
                Proof::Bound { object, at_most, .. } | Proof::Guarded { object, at_most, .. } => {
                    let held = self.held(configuration, *object);
                    if held > *at_most {
                        return Err(Broken {
                            what: format!("proof {number}: object {} holds {held}", object.0),
                        });
                    }
                }
                Proof::Bounds { buffers, .. } => {
                    let over = |bound: &&BufferBound| self.held(configuration, bound.object) > bound.at_most;
                    if let Some(bound) = buffers.iter().find(over) {
                        let what = format!("proof {number}: object {} holds more", bound.object.0);
                        return Err(Broken { what });
                    }
                }
                Proof::Starts { group, at_most, .. } if self.starts[group.index()] > *at_most => {
                    let what =
                        format!("proof {number}: group {} was started more than {at_most} times", group.0);
                    return Err(Broken { what });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// How many messages the channels of an object hold together.
    fn held(&self, configuration: &Configuration, object: ObjectId) -> u64 {
        let mut held = 0;
        for (index, channel) in configuration.state.channels.iter().enumerate() {
            if configuration.objects[index] == object {
                let fields = self.system.model.channel_types[channel.channel_type.0 as usize].fields.len();
                held += (channel.contents.len() / fields.max(1)) as u64;
            }
        }
        held
    }

    fn class_of(&self, configuration: &Configuration, channel: usize, message: &[i32]) -> Option<usize> {
        let object = configuration.objects[channel];
        self.certificate.claims.objects[object.index()].classes.iter().position(|class| {
            class.fields.iter().zip(message).all(|(values, &value)| configuration.allows(values, value))
        })
    }
}
