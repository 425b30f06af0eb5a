//! Proofs in words that a person can follow.

use crate::Certificate;
use crate::check::line_of;
use crate::claims::{
    Claims, ClassId, GroupId, NodeId, Number, ObjectId, ObjectPlace, Point, SlotValues, TrackerId,
};
use crate::formula::Violations;
use crate::potential::{Blocked, BoundCase, Component, Next, Potential, Progress, Proof, Stage};
use crate::values::{Interval, Values};
use crate::verdict::{Capacities, Fairness};
use promela::model::{Model, Scalar};
use std::cell::OnceCell;
use system::automaton::{Slot, System};

/// Every proof of a certificate, in sentences, one a line. The certificate must have been checked.
pub fn words(system: &System, certificate: &Certificate) -> Vec<String> {
    let speaker = Speaker::new(system, &certificate.claims, None);
    let mut lines = Vec::new();
    lines.push(match certificate.capacities {
        Capacities::Any => "This holds whatever the capacities of the buffers are.".to_string(),
        Capacities::Declared => "This holds for the capacities that the model declares.".to_string(),
    });
    if !certificate.any_number.is_empty() {
        let names: Vec<String> = certificate.any_number.iter().map(|name| format!("`{name}`")).collect();
        lines.push(format!(
            "It holds for any number of processes of {}, at least one.",
            names.join(" and of ")
        ));
    }
    for number in &certificate.claims.numbers {
        let Interval { low, high } = number.range;
        lines.push(format!("{} is always from {low} to {high}.", speaker.number(number)));
        for known in &number.known {
            let (place, Interval { low, high }) = (speaker.node(known.group, known.node), known.range);
            lines.push(format!(
                "  It is from {low} to {high} while {} is {place}.",
                speaker.group(known.group)
            ));
        }
    }
    for invariant in &certificate.claims.invariants {
        speaker.potential(&invariant.potential, &mut lines);
        lines.push(format!(
            "No statement makes the total grow, which is {} at the start, so nothing happens that would need more.",
            invariant.total
        ));
    }
    for proof in &certificate.proofs {
        speaker.proof(proof, &mut lines);
    }
    lines
}

/// The name of a channel as a person would write it.
pub fn object_name(system: &System, claims: &Claims, object: ObjectId) -> String {
    match claims.objects.get(object.index()).map(|object| object.place) {
        Some(ObjectPlace::Global { slot }) => system.global_slots[slot as usize].name.clone(),
        Some(ObjectPlace::Local { group, slot }) => {
            let automaton = &system.automata[claims.groups[group.index()].automaton as usize];
            let speaker = Speaker::new(system, claims, None);
            format!("{} of {}", automaton.slots[slot as usize].name, speaker.group(group))
        }
        None => format!("object {}", object.0),
    }
}

struct Speaker<'a> {
    system: &'a System,
    claims: &'a Claims,
    /// Of the formula that is spoken of.
    monitor: Option<Violations>,
    /// What groups were called before: to tell a group from all others takes time.
    names: Vec<OnceCell<String>>,
    /// For each automaton whether its groups have different numbers of processes.
    differ_in_pids: Vec<OnceCell<bool>>,
}

impl<'a> Speaker<'a> {
    fn new(system: &'a System, claims: &'a Claims, monitor: Option<Violations>) -> Self {
        let names = vec![OnceCell::new(); claims.groups.len()];
        let differ_in_pids = vec![OnceCell::new(); system.automata.len()];
        Speaker { system, claims, monitor, names, differ_in_pids }
    }

    fn proof(&self, proof: &Proof, lines: &mut Vec<String>) {
        match proof {
            Proof::Bound { object, at_most, cases } => {
                let name = object_name(self.system, self.claims, *object);
                for case in cases {
                    self.bound_case(&name, case, lines);
                }
                if cases.is_empty() {
                    lines.push(format!("`{name}` is declared with room for {at_most}."));
                }
                lines.push(format!("So `{name}` never holds more than {at_most}."));
            }
            Proof::Guarded { object, at_most, sender, known } => {
                let name = object_name(self.system, self.claims, *object);
                lines.push(format!("Only {} sends to `{name}`.", self.group(*sender)));
                lines.extend(known.iter().map(|known| {
                    let node = self.node(*sender, known.node);
                    format!("While it is {node}, `{name}` holds at most {}.", known.at_most)
                }));
                lines.push(format!("So `{name}` never holds more than {at_most}."));
            }
            Proof::Bounds { buffers, potential } => {
                self.potential(potential, lines);
                lines.push("No statement makes the total grow.".to_string());
                for bound in buffers {
                    let name = object_name(self.system, self.claims, bound.object);
                    lines.push(format!("So `{name}` never holds more than {}.", bound.at_most));
                }
            }
            Proof::Starts { group, at_most, denominator, potential } => {
                lines.push(format!("Let each start of {} weigh {denominator}.", self.group(*group)));
                self.potential(potential, lines);
                lines.push(format!(
                    "No statement makes the total grow, so {} is started at most {at_most} times.",
                    self.group(*group)
                ));
            }
            Proof::AllBounded { stage } => {
                self.stage(stage, "", lines);
                lines.push("So every buffer is bounded.".to_string());
            }
            Proof::LivelockFree { progress, stage } => {
                self.without_progress(progress, stage, Fairness::None, lines);
            }
            Proof::FairProgress { progress, fairness, stage } => {
                self.without_progress(progress, stage, *fairness, lines);
            }
            Proof::Formula { formula, fairness, unreached, stage, ends } => {
                let known = self.system.model.formulas.iter().find(|known| known.name == *formula);
                let monitor = known.and_then(|known| Violations::of(&self.system.model, &known.formula));
                let watching = Speaker::new(self.system, self.claims, monitor);
                lines.push(format!(
                    "Beside every run goes an automaton that accepts those which violate `{formula}`; it reads every moment."
                ));
                watching.formula(unreached, (stage, ends), lines);
                lines.push(format!(
                    "So every {} satisfies `{formula}`, unless it ends in a runtime error.",
                    run(*fairness)
                ));
            }
        }
    }

    fn without_progress(
        &self,
        progress: &Progress,
        stage: &Stage,
        fairness: Fairness,
        lines: &mut Vec<String>,
    ) {
        let places = match progress {
            Progress::Labels => "labelled `progress`".to_string(),
            Progress::At(places) if places.is_empty() => String::new(),
            Progress::At(places) => {
                let names = places.iter().map(|place| {
                    let automaton = &self.system.automata[place.automaton as usize];
                    let span = automaton.edges[place.edge as usize].span;
                    format!("{} at {}", automaton.name, line_of(self.system, span))
                });
                format!("of {}", names.collect::<Vec<_>>().join(" and "))
            }
        };
        if places.is_empty() {
            self.stage(stage, "", lines);
            lines.push(format!("So no {} goes on for ever.", run(fairness)));
            return;
        }
        lines.push(format!("Leave the statements {places} out."));
        self.stage(stage, "", lines);
        lines.push(format!("So no {} goes on for ever without progress.", run(fairness)));
    }

    fn bound_case(&self, name: &str, case: &BoundCase, lines: &mut Vec<String>) {
        self.potential(&case.potential, lines);
        let at_least = match case.denominator {
            1 => String::new(),
            denominator => format!(", and each message in `{name}` weighs at least {denominator}"),
        };
        lines.push(format!("No statement makes the total grow{at_least}."));
        if let Some(after) = &case.after {
            let nodes: Vec<String> = after.nodes.iter().map(|&node| self.node(after.group, node)).collect();
            lines.push(format!(
                "Look just after a send into `{name}` that leaves {} {}.",
                self.group(after.group),
                nodes.join(" or ")
            ));
        }
    }

    fn stage(&self, stage: &Stage, indent: &str, lines: &mut Vec<String>) {
        let mut own = Vec::new();
        self.potential(&stage.potential, &mut own);
        lines.extend(own.into_iter().map(|line| format!("{indent}{line}")));
        match &stage.next {
            Next::Closed => lines
                .push(format!("{indent}No statement makes the total grow, and nothing is left that could.")),
            Next::Idle { groups, blocked } => {
                let names: Vec<String> = groups.iter().map(|group| self.group(*group)).collect();
                lines.push(format!(
                    "{indent}No statement makes the total grow. What does not make it smaller goes on without {}, which fairness allows \
                     only if these cannot move:",
                    names.join(" and ")
                ));
                self.blocked(blocked, &format!("{indent}  "), lines);
            }
            Next::Starved { group, parts } => {
                lines.push(format!(
                    "{indent}No statement makes the total grow. What does not make it smaller goes on without {}, so strong fairness allows \
                     only finitely often what lets it move. The rest, for each place in which it may wait:",
                    self.group(*group)
                ));
                for (index, part) in parts.iter().enumerate() {
                    lines.push(format!("{indent}place {}:", index + 1));
                    self.stage(part, &format!("{indent}  "), lines);
                }
            }
            Next::Split { component, parts } => {
                lines.push(format!(
                    "{indent}No statement makes the total grow. What does not make it smaller splits {} into {} parts, \
                     and for ever it stays in one of them:",
                    self.component(*component),
                    parts.len()
                ));
                for (index, part) in parts.iter().enumerate() {
                    lines.push(format!("{indent}part {}:", index + 1));
                    self.stage(part, &format!("{indent}  "), lines);
                }
            }
        }
    }

    fn formula(&self, unreached: &[Potential], (stage, ends): (&Stage, &Blocked), lines: &mut Vec<String>) {
        for potential in unreached {
            self.potential(potential, lines);
            lines
                .push("No statement makes the total grow, so what weighs more is never reached.".to_string());
        }
        lines.push("Runs that go on for ever:".to_string());
        self.stage(stage, "  ", lines);
        lines.push("Runs that end:".to_string());
        self.blocked(ends, "  ", lines);
    }

    fn blocked(&self, blocked: &Blocked, indent: &str, lines: &mut Vec<String>) {
        match blocked {
            Blocked::Excluded { potential } => {
                let mut own = Vec::new();
                self.potential(potential, &mut own);
                lines.extend(own.into_iter().map(|line| format!("{indent}{line}")));
                lines.push(format!(
                    "{indent}No statement makes the total grow, and it would have to be larger than at the start."
                ));
            }
            Blocked::Split { parts, .. } if parts.is_empty() => {
                lines.push(format!("{indent}there is no place where that could be."));
            }
            Blocked::Split { component, parts } => {
                let name = self.component(*component);
                for (index, part) in parts.iter().enumerate() {
                    lines.push(format!("{indent}place {} of {name}:", index + 1));
                    self.blocked(part, &format!("{indent}  "), lines);
                }
            }
        }
    }

    fn potential(&self, potential: &Potential, lines: &mut Vec<String>) {
        for entry in &potential.messages {
            let name = object_name(self.system, self.claims, entry.object);
            let class = self.class(entry.object, entry.class);
            lines.push(format!("Each `{class}` in `{name}` weighs {}.", entry.weight));
        }
        for entry in &potential.nodes {
            let place = self.node(entry.group, entry.node);
            lines.push(format!("{} {place} weighs {}.", self.group(entry.group), entry.weight));
        }
        for entry in &potential.trackers {
            lines.push(format!("{} weighs {}.", self.tracker(entry.tracker, entry.node), entry.weight));
        }
        for entry in &potential.numbers {
            let number = &self.claims.numbers[entry.number.index()];
            lines.push(format!("{} weighs {} times its value.", self.number(number), entry.weight));
        }
    }

    /// `` `sent - acked` ``
    fn number(&self, number: &Number) -> String {
        let mut text = String::new();
        for term in &number.terms {
            let sign = if term.subtracted { " - " } else { " + " };
            let name = match term.place {
                ObjectPlace::Global { slot } => self.system.global_slots[slot as usize].name.clone(),
                ObjectPlace::Local { group, slot } => {
                    let automaton =
                        &self.system.automata[self.claims.groups[group.index()].automaton as usize];
                    format!("{}:{}", automaton.name, automaton.slots[slot as usize].name)
                }
            };
            text += &(if text.is_empty() { name } else { format!("{sign}{name}") });
        }
        format!("`{text}`")
    }

    fn component(&self, component: Component) -> String {
        match component {
            Component::Group(group) => self.group(group),
            Component::Tracker(tracker) if tracker.index() >= self.claims.trackers.len() => {
                "the formula".to_string()
            }
            Component::Tracker(tracker) => {
                let slots = self.claims.trackers[tracker.index()].slots.iter();
                let names = slots.map(|&slot| self.system.global_slots[slot as usize].name.as_str());
                names.collect::<Vec<_>>().join(" and ")
            }
        }
    }

    /// Exactly the processes of the group, so that no two groups have one name: `client(0)`, `node with _pid 2`. A process belongs to the
    /// first group that fits, so what an earlier one takes is named, too.
    fn group(&self, id: GroupId) -> String {
        self.names[id.index()].get_or_init(|| self.name_of(id)).clone()
    }

    fn name_of(&self, id: GroupId) -> String {
        let parts = |id: GroupId| {
            let group = &self.claims.groups[id.index()];
            let parameters = self.system.model.proctypes[group.automaton as usize].parameters as usize;
            std::iter::once(&group.pid).chain(group.slots.iter().take(parameters))
        };
        let earlier = (0..id.0).map(GroupId).filter(|&other| {
            self.claims.groups[other.index()].automaton == self.claims.groups[id.index()].automaton
                && parts(other).zip(parts(id)).all(|(theirs, own)| !theirs.is_disjoint(own))
        });
        let earlier: Vec<String> = earlier.map(|other| self.members(other)).collect();
        match earlier.is_empty() {
            true => self.members(id),
            false => format!("{} (other than {})", self.members(id), earlier.join(" and ")),
        }
    }

    /// Those that fit the group's sets: by their arguments, and by their numbers where groups differ in these.
    fn members(&self, id: GroupId) -> String {
        let group = &self.claims.groups[id.index()];
        let name = self.with_arguments(id);
        let differ = self.differ_in_pids[group.automaton as usize].get_or_init(|| {
            let mut same = self.claims.groups.iter().filter(|other| other.automaton == group.automaton);
            same.any(|other| other.pid != group.pid)
        });
        match differ {
            false => name,
            true => format!("{name} with _pid {}", self.values(&group.pid, Scalar::Pid)),
        }
    }

    fn with_arguments(&self, id: GroupId) -> String {
        let group = &self.claims.groups[id.index()];
        let automaton = &self.system.automata[group.automaton as usize];
        let parameters = self.system.model.proctypes[group.automaton as usize].parameters as usize;
        let arguments: Vec<String> = (group.slots.iter().zip(&automaton.slots))
            .take(parameters)
            .map(|(values, slot)| self.values(values, slot.scalar))
            .collect();
        match arguments.is_empty() {
            true => automaton.name.clone(),
            false => format!("{}({})", automaton.name, arguments.join(", ")),
        }
    }

    /// `at line 17 with i = 0`.
    fn node(&self, group: GroupId, id: NodeId) -> String {
        let group = &self.claims.groups[group.index()];
        let automaton = &self.system.automata[group.automaton as usize];
        let node = &group.nodes[id.index()];
        let mut text = match node.point {
            Point::At(location) => {
                let location = &automaton.locations[location as usize];
                let statement = location.edges.first().map(|&edge| automaton.edge(edge));
                let span = statement.map_or(location.span, |edge| edge.span);
                let what = statement.map_or("the end", |edge| edge.text.as_str());
                format!("before `{what}` ({})", line_of(self.system, span))
            }
            Point::Inside { edge, step } => {
                let span = automaton.edges[edge as usize].span;
                format!("at point {step} of the d_step ({})", line_of(self.system, span))
            }
        };
        let mut known = self.listed(&node.locals, &automaton.slots);
        known.extend(self.listed(&node.globals, &self.system.global_slots));
        known.extend(node.shadows.iter().map(|shadow| format!("its shadow at {}", shadow.0)));
        if !known.is_empty() {
            text += &format!(" with {}", known.join(" and "));
        }
        text
    }

    fn listed(&self, entries: &[SlotValues], slots: &[Slot]) -> Vec<String> {
        let describe = |entry: &SlotValues| {
            let slot = &slots[entry.slot as usize];
            format!("{} = {}", slot.name, self.values(&entry.values, slot.scalar))
        };
        entries.iter().map(describe).collect()
    }

    fn tracker(&self, id: TrackerId, node: NodeId) -> String {
        let Some(tracker) = self.claims.trackers.get(id.index()) else {
            return self.monitor.as_ref().map_or(String::new(), |monitor| self.watching(monitor, node));
        };
        let entries: Vec<SlotValues> = (tracker.slots.iter().zip(&tracker.nodes[node.index()]))
            .map(|(&slot, values)| SlotValues { slot, values: values.clone() })
            .collect();
        self.listed(&entries, &self.system.global_slots).join(" and ")
    }

    /// `The automaton in state 1 at a moment with `x == 1` and without `empty(q)``
    fn watching(&self, monitor: &Violations, node: NodeId) -> String {
        let (state, valuation) = monitor.of_node(node.0);
        let texts = monitor.propositions.iter().enumerate().map(|(bit, proposition)| {
            let text = promela::print::expr_text(&self.system.model, &[], proposition);
            let holds = if valuation >> bit & 1 == 1 { "with" } else { "without" };
            format!("{holds} `{text}`")
        });
        let moment = texts.collect::<Vec<_>>().join(" and ");
        format!("The automaton in state {state}, at a moment {moment},")
    }

    fn class(&self, object: ObjectId, class: ClassId) -> String {
        let object = &self.claims.objects[object.index()];
        let slots = match object.place {
            ObjectPlace::Global { slot } => (&self.system.model.globals, slot),
            ObjectPlace::Local { group, slot } => {
                let automaton = self.claims.groups[group.index()].automaton;
                (&self.system.model.proctypes[automaton as usize].locals, slot)
            }
        };
        let types = crate::check::channel_slots(self.system, slots.0);
        let fields = types
            .iter()
            .find(|(slot, _)| *slot == slots.1)
            .map_or(&[][..], |(_, id)| &self.system.model.channel_types[id.0 as usize].fields);
        let sets = object.classes[class.index()].fields.iter().enumerate();
        let texts: Vec<String> = sets
            .map(|(index, values)| {
                self.values(values, fields.get(index).map_or(Scalar::Int, |field| field.scalar))
            })
            .collect();
        texts.join(", ")
    }

    fn values(&self, values: &Values, scalar: Scalar) -> String {
        let mut texts = Vec::new();
        for interval in &values.integers {
            match interval.high == interval.low {
                true => texts.push(number(&self.system.model, interval.low, scalar)),
                false => texts.push(format!("{}..{}", interval.low, interval.high)),
            }
        }
        texts.extend(values.channels.iter().map(|&object| object_name(self.system, self.claims, object)));
        match texts.as_slice() {
            [one] => one.clone(),
            _ => format!("{{{}}}", texts.join(", ")),
        }
    }
}

fn number(model: &Model, value: i32, scalar: Scalar) -> String {
    let name = match scalar {
        Scalar::Mtype(set) => model.mtype_sets[set.0 as usize].names.iter().find(|(_, v, _)| *v == value),
        _ => None,
    };
    name.map_or_else(|| value.to_string(), |(name, ..)| name.clone())
}

/// What a run that counts is called.
fn run(fairness: Fairness) -> &'static str {
    match fairness {
        Fairness::None => "run",
        Fairness::Weak => "weakly fair run",
        Fairness::Strong => "strongly fair run",
    }
}
