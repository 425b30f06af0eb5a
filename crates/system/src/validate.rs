//! What a well-formed system is. Lowering must establish every rule; everything after it relies on them.
//!
//! 1. The automata are the proctypes' in order, then the claims', then the event trace's.
//! 2. Every automaton has at least one location, and its initial location exists.
//! 3. Every edge's source and target exist, and the edge is listed exactly once, by its source.
//! 4. Every location can be reached from the initial one.
//! 5. Edges of one escape group stand together; the statement's own edges (group 0) come last.
//! 6. The closing brace's edge is not atomic, stays where it is, and its location is a valid end.
//! 7. Slots that an edge resets or names exist in the frame, and a name's type is the slot's.
//! 8. A `d_step` has a node 0, its choices lead to nodes that exist, and it contains neither a closing brace nor another
//!    `d_step`.
//! 9. The slots of each frame are as many as its variables need.

use crate::automaton::{Action, Automaton, AutomatonKind, DStep, LocationId, Slot, System};
use promela::interrupt;
use promela::model::{Frame, Place, ReceiveArgument};
use std::fmt;

/// A rule that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Number of the rule in the module's list.
    pub rule: u32,
    /// Where.
    pub automaton: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} is broken in `{}`: {}", self.rule, self.automaton, self.message)
    }
}

/// All rules that do not hold.
pub fn validate(system: &System) -> Vec<Broken> {
    let mut broken = Vec::new();
    let mut report = |rule, automaton: &str, message: String| {
        broken.push(Broken { rule, automaton: automaton.to_string(), message });
    };
    let expected = system.model.proctypes.len()
        + system.model.claims.len()
        + usize::from(system.model.event_trace.is_some());
    if system.automata.len() != expected {
        report(1, "", format!("{} automata instead of {expected}", system.automata.len()));
    }
    if system.global_slots.len() != system.model.global_slots as usize {
        report(9, "", format!("{} global slots", system.global_slots.len()));
    }
    for (index, automaton) in system.automata.iter().enumerate() {
        let mut check = Check { system, automaton, report: &mut report };
        check.kind(index);
        check.graph();
        check.groups();
        check.frames();
    }
    broken
}

struct Check<'a> {
    system: &'a System,
    automaton: &'a Automaton,
    report: &'a mut dyn FnMut(u32, &str, String),
}

impl Check<'_> {
    fn fail(&mut self, rule: u32, message: String) {
        (self.report)(rule, &self.automaton.name, message);
    }

    fn kind(&mut self, index: usize) {
        let right = match self.automaton.kind {
            AutomatonKind::Process(id) => id.0 as usize == index,
            AutomatonKind::Claim(i) => {
                self.system.claims.get(i as usize).is_some_and(|c| c.0 as usize == index)
            }
            AutomatonKind::EventTrace { .. } => {
                self.system.event_trace.is_some_and(|t| t.0 as usize == index)
            }
        };
        if !right {
            self.fail(1, format!("it stands at index {index}"));
        }
        if let AutomatonKind::Process(id) = self.automaton.kind {
            let slots = self.system.model.proctypes[id.0 as usize].slots as usize;
            if self.automaton.slots.len() != slots {
                self.fail(9, format!("{} slots instead of {slots}", self.automaton.slots.len()));
            }
        }
    }

    fn graph(&mut self) {
        let automaton = self.automaton;
        let count = automaton.locations.len();
        if automaton.initial.0 as usize >= count {
            self.fail(2, format!("the initial location is {} of {count}", automaton.initial.0));
            return;
        }
        let mut listed = vec![0u32; automaton.edges.len()];
        for (index, location) in automaton.locations.iter().enumerate() {
            interrupt::point();
            for &edge in &location.edges {
                match automaton.edges.get(edge.0 as usize) {
                    Some(e) if e.source.0 as usize == index => listed[edge.0 as usize] += 1,
                    _ => self.fail(3, format!("location {index} lists edge {}", edge.0)),
                }
            }
        }
        for (index, edge) in automaton.edges.iter().enumerate() {
            interrupt::point();
            if edge.target.0 as usize >= count || listed[index] != 1 {
                self.fail(3, format!("edge {index} is listed {} times", listed[index]));
                return;
            }
        }
        let mut reached = vec![false; count];
        let mut work = vec![automaton.initial];
        while let Some(LocationId(at)) = work.pop() {
            if std::mem::replace(&mut reached[at as usize], true) {
                continue;
            }
            work.extend(automaton.edges_from(LocationId(at)).map(|(_, e)| e.target));
        }
        for (index, _) in reached.iter().enumerate().filter(|(_, r)| !**r) {
            self.fail(4, format!("location {index} cannot be reached"));
        }
    }

    fn groups(&mut self) {
        let automaton = self.automaton;
        for (index, location) in automaton.locations.iter().enumerate() {
            interrupt::point();
            let edges: Vec<_> =
                location.edges.iter().filter_map(|e| automaton.edges.get(e.0 as usize)).collect();
            let mut groups: Vec<u32> = edges.iter().map(|e| e.escape).collect();
            groups.dedup();
            let mut distinct = groups.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() != groups.len() || groups.iter().rev().skip(1).any(|g| *g == 0) {
                self.fail(5, format!("the escapes of location {index} are mixed: {groups:?}"));
            }
            for edge in edges.iter().filter(|e| matches!(e.action, Action::End)) {
                if edge.atomic || edge.target != edge.source || !location.end {
                    self.fail(6, format!("the closing brace at location {index}"));
                }
            }
        }
    }

    fn frames(&mut self) {
        let automaton = self.automaton;
        for (index, edge) in automaton.edges.iter().enumerate() {
            interrupt::point();
            for &slot in &edge.dead {
                if slot as usize >= automaton.slots.len() {
                    self.fail(7, format!("edge {index} resets slot {slot}"));
                }
            }
            self.action(index, &edge.action);
        }
    }

    fn action(&mut self, edge: usize, action: &Action) {
        match action {
            Action::Assign { place, .. } => self.place(edge, place),
            Action::Send { channel, .. } => self.place(edge, &channel.place),
            Action::Receive { channel, arguments, .. } => {
                self.place(edge, &channel.place);
                for argument in arguments {
                    if let ReceiveArgument::Store(place) = argument {
                        self.place(edge, place);
                    }
                }
            }
            Action::DStep(body) => self.d_step(edge, body),
            _ => {}
        }
    }

    fn place(&mut self, edge: usize, place: &Place) {
        let slots: &[Slot] = match place.frame {
            Frame::Global => &self.system.global_slots,
            Frame::Local => &self.automaton.slots,
        };
        let reach: u32 = place.indices.iter().map(|i| i.length.saturating_sub(1) * i.stride).sum();
        let last = (place.base + reach) as usize;
        let right = last < slots.len()
            && slots[place.base as usize].scalar == place.scalar
            && slots[last].scalar == place.scalar;
        if !right {
            self.fail(7, format!("edge {edge} names slots {} to {last}", place.base));
        }
    }

    fn d_step(&mut self, edge: usize, body: &DStep) {
        if body.nodes.is_empty() {
            self.fail(8, format!("the d_step of edge {edge} is empty"));
        }
        for choice in body.nodes.iter().flat_map(|n| &n.choices) {
            if choice.next.is_some_and(|n| n.0 as usize >= body.nodes.len()) {
                self.fail(8, format!("a choice of edge {edge} leads nowhere"));
            }
            match &choice.action {
                Action::End | Action::DStep(_) => self.fail(8, format!("the d_step of edge {edge}")),
                inner => self.action(edge, inner),
            }
        }
    }
}
