//! A sketch of a certificate from what was seen while the model ran.

use super::{Random, Subject};
use certificate::claims::{
    Auxiliary, AuxiliaryId, Bar, Claims, ClassId, Group, GroupId, MessageClass, Node, NodeId, Object,
    ObjectId, ObjectPlace, Point, Shadow, SlotValues, Tracker,
};
use certificate::potential::{
    Arrival, BoundCase, BufferBound, Component, KnownLength, MessageWeight, Next, NodeWeight, Potential,
    Progress, ProgressStatement, Proof, Stage, TrackerWeight,
};
use certificate::values::Values;
use certificate::verdict::Capacities;
use certificate::{Certificate, claims::TrackerId};
use promela::model::{ChannelRef, Expr, ExprKind, Frame, ReceiveArgument, Scalar};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use system::automaton::{Action, Automaton, System};
use system::state::State;

/// Draws one certificate.
pub struct Composer<'a> {
    system: &'a System,
    states: Vec<&'a State>,
    random: &'a mut Random,
    groups: Vec<Members>,
    objects: Vec<ObjectPlace>,
    claims: Claims,
    arcs: Vec<Arc>,
}

/// Which processes a group is to have.
#[derive(Clone)]
struct Members {
    automaton: u32,
    /// `None`: any that `run` starts, and these.
    pids: Vec<u32>,
    any_pid: bool,
    at_most: Option<u32>,
    /// The value of the first parameter, if groups are told apart by it.
    argument: Option<i32>,
}

/// A statement between two points of an automaton.
struct Arc {
    automaton: u32,
    edge: u32,
    from: Point,
    to: Option<Point>,
    /// Messages: object if known, value if known, and +1 or -1.
    message: Option<(Option<ObjectId>, Option<i32>, i64)>,
    runs: Option<u32>,
    progress: bool,
}

/// What a statement adds to a potential besides its messages.
#[derive(Clone, Copy, PartialEq)]
enum Extra {
    None,
    /// 1 for each statement that is not progress.
    NoProgress,
    /// So much for each start of a proctype.
    Start(u32, i64),
}

impl<'a> Composer<'a> {
    /// Looks at one or several readings.
    pub fn new(subject: &'a Subject, random: &'a mut Random) -> Composer<'a> {
        let explored = &subject.truth.explored;
        let seen = match random.below(3) {
            0 => &explored[..],
            1 => &explored[..1],
            _ => &explored[1..4],
        };
        let states = seen.iter().flat_map(|seen| seen.states.iter().take(150)).collect();
        let system = &subject.system;
        let claims = Claims::default();
        Composer { system, states, random, groups: vec![], objects: vec![], claims, arcs: vec![] }
    }

    /// A certificate that may be true or not.
    pub fn certificate(&mut self) -> Certificate {
        self.choose_groups();
        self.choose_objects();
        self.see_values();
        self.draw_nodes();
        self.draw_arcs();
        // One thing at a time, mostly: what is wrong with one hides what is wrong with another.
        let focus = self.random.below(8);
        let mut is_on = |kind: usize, percent: usize| match focus {
            0..5 => focus == kind,
            _ => self.random.percent(percent),
        };
        let [shadow, tracker, bar, forget, attack] =
            [(0, 12), (1, 25), (2, 12), (3, 12), (4, 30)].map(|(kind, percent)| is_on(kind, percent));
        if shadow {
            self.add_shadow();
        }
        if tracker {
            self.add_tracker();
        }
        if bar {
            self.add_bar();
        }
        if forget {
            self.forget_a_channel();
        }
        let mut proofs = self.starts();
        if attack {
            proofs.extend(self.attack());
        }
        // A proof that needs no more than the claims, so that these are what is tried; or others.
        let plain = if self.random.percent(30) { self.plain() } else { None };
        let others = if plain.is_some() { 0 } else { 1 + self.random.below(2) };
        proofs.extend(plain);
        for _ in 0..others {
            let proof = if self.random.percent(35) { self.audacious() } else { self.proof() };
            proofs.extend(proof);
        }
        let capacities = if self.random.percent(75) { Capacities::Any } else { Capacities::Declared };
        Certificate {
            schema: certificate::SCHEMA.to_string(),
            model: String::new(),
            seal: String::new(),
            capacities,
            claims: self.claims.clone(),
            proofs,
        }
    }

    fn choose_groups(&mut self) {
        let initial = self.states[0];
        for (id, automaton) in self.system.process_automata() {
            let pids: Vec<u32> = (0..)
                .zip(&initial.processes)
                .filter(|(_, p)| p.automaton == id)
                .map(|(pid, _)| pid)
                .collect();
            let members = |pids: Vec<u32>, at_most| Members {
                automaton: id.0,
                pids,
                any_pid: false,
                at_most,
                argument: None,
            };
            if is_run(self.system, id.0) {
                let at_most = self.random.percent(40).then(|| 1 + self.random.below(3) as u32);
                let all = Members { any_pid: true, ..members(pids, at_most) };
                let has_argument = self.system.model.proctypes[id.0 as usize].parameters > 0;
                if has_argument && self.random.percent(40) {
                    let mut seen = BTreeSet::new();
                    for process in self.states.iter().flat_map(|state| &state.processes) {
                        if process.automaton == id && process.location == automaton.initial {
                            seen.insert(process.locals[0]);
                        }
                    }
                    self.groups.extend(
                        seen.into_iter()
                            .take(3)
                            .map(|value| Members { argument: Some(value), ..all.clone() }),
                    );
                } else {
                    self.groups.push(all);
                }
            } else if pids.len() > 1 && self.random.percent(30) {
                let count = pids.len() as u32;
                self.groups.push(members(pids, Some(count)));
            } else {
                self.groups.extend(pids.into_iter().map(|pid| members(vec![pid], Some(1))));
            }
        }
        if self.random.percent(10)
            && let Some(group) = self.random.pick(&self.groups).cloned()
        {
            // A second group of the same proctype, perhaps for others, perhaps for nobody.
            let at_most = [Some(0), Some(1), None][self.random.below(3)];
            let pids = if self.random.percent(50) { group.pids.clone() } else { vec![7] };
            let at = self.random.below(self.groups.len() + 1);
            self.groups.insert(at, Members { at_most, pids, ..group });
        }
    }

    fn group_of(&self, state: &State, pid: usize) -> Option<usize> {
        let process = &state.processes[pid];
        self.groups.iter().position(|group| {
            group.automaton == process.automaton.0
                && (group.any_pid || group.pids.contains(&(pid as u32)))
                && group.argument.is_none_or(|value| process.locals.first() == Some(&value))
        })
    }

    /// Channels of global slots, then of local slots of each group.
    fn choose_objects(&mut self) {
        let initial = self.states[0];
        let mut globals: Vec<(i32, u32)> = (0..)
            .zip(self.system.global_slots.iter().zip(&initial.globals))
            .filter(|(_, (slot, value))| slot.scalar == Scalar::Chan && **value > 0)
            .map(|(slot, (_, value))| (*value, slot))
            .collect();
        globals.sort_unstable();
        globals.dedup_by_key(|(value, _)| *value);
        self.objects.extend(globals.into_iter().map(|(_, slot)| ObjectPlace::Global { slot }));
        for (group, members) in (0..).map(GroupId).zip(&self.groups) {
            let slots = self.local_channels(members.automaton);
            self.objects.extend(slots.into_iter().map(|slot| ObjectPlace::Local { group, slot }));
        }
    }

    fn local_channels(&self, automaton: u32) -> Vec<u32> {
        let initial = self.system.automata[automaton as usize].initial;
        for state in &self.states {
            for (pid, process) in (0..).zip(&state.processes) {
                if process.automaton.0 == automaton && process.location == initial {
                    let owned =
                        (1..).zip(&state.channels).filter(|(_, c)| c.owner.is_some_and(|o| o.0 == pid));
                    let slot = |value: i32| process.locals.iter().position(|local| *local == value);
                    return owned.filter_map(|(value, _)| slot(value)).map(|slot| slot as u32).collect();
                }
            }
        }
        Vec::new()
    }

    /// The object of a channel by its number in a state.
    fn object(&self, state: &State, number: i32) -> Option<ObjectId> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let channel = state.channels.get(index)?;
        let place = |position: usize| Some(ObjectId(position as u32));
        let Some(owner) = channel.owner else {
            return self.objects.iter().position(|o| matches!(o, ObjectPlace::Global { .. })).and_then(
                |first| {
                    let before = state.channels[..index].iter().filter(|c| c.owner.is_none()).count();
                    place(first + before)
                },
            );
        };
        let group = self.group_of(state, owner.0 as usize)?;
        let nth = state.channels[..index].iter().filter(|c| c.owner == Some(owner)).count();
        let own = self
            .objects
            .iter()
            .enumerate()
            .filter(|(_, o)| matches!(o, ObjectPlace::Local { group: of, .. } if of.index() == group));
        own.map(|(position, _)| position).nth(nth).and_then(place)
    }

    fn see_values(&mut self) {
        let mut globals = vec![Seen::default(); self.system.global_slots.len()];
        let mut locals: Vec<Vec<Seen>> =
            self.groups.iter().map(|g| vec![Seen::default(); self.automaton(g).slots.len()]).collect();
        let mut messages: Vec<BTreeSet<Vec<Element>>> = vec![BTreeSet::new(); self.objects.len()];
        for state in &self.states {
            for (slot, &value) in state.globals.iter().enumerate() {
                let element = self.element(state, self.system.global_slots[slot].scalar, value);
                globals[slot].0.insert(element);
            }
            for (pid, process) in state.processes.iter().enumerate() {
                let Some(group) = self.group_of(state, pid) else { continue };
                for (slot, &value) in process.locals.iter().enumerate() {
                    let scalar = self.system.automaton(process.automaton).slots[slot].scalar;
                    locals[group][slot].0.insert(self.element(state, scalar, value));
                }
            }
            for (number, channel) in (1..).zip(&state.channels) {
                let Some(object) = self.object(state, number) else { continue };
                let fields = &self.system.model.channel_types[channel.channel_type.0 as usize].fields;
                for message in channel.contents.chunks(fields.len().max(1)) {
                    let scalars = fields.iter().map(|field| field.scalar);
                    let seen = message.iter().zip(scalars).map(|(&v, s)| self.element(state, s, v)).collect();
                    messages[object.index()].insert(seen);
                }
            }
        }
        self.claims.globals = (globals.into_iter().zip(&self.system.global_slots))
            .map(|(seen, slot)| seen.values(slot.scalar, self.random))
            .collect();
        for (index, members) in self.groups.clone().iter().enumerate() {
            let scalars: Vec<Scalar> = self.automaton(members).slots.iter().map(|slot| slot.scalar).collect();
            let slots = locals[index].iter().zip(scalars);
            let slots = slots.map(|(seen, scalar)| seen.values(scalar, self.random)).collect();
            let pids = Values::integers(members.pids.iter().map(|&pid| pid as i32));
            let pid = if members.any_pid { pids.union(&Values::interval(1, 254)) } else { pids };
            self.claims.groups.push(Group {
                automaton: members.automaton,
                at_most: members.at_most,
                pid,
                slots,
                shadows: vec![],
                nodes: vec![],
            });
        }
        for (place, messages) in self.objects.iter().zip(messages) {
            let merge = self.random.percent(40);
            let mut classes = classes(messages, merge);
            // One class for whatever a number may be.
            if self.random.percent(40)
                && classes.iter().flat_map(|c| &c.fields).all(|f| f.channels.is_empty())
            {
                let fields = classes.first().map_or(1, |class| class.fields.len());
                classes = vec![MessageClass { fields: vec![Values::interval(0, 255); fields] }];
            }
            self.claims.objects.push(Object { place: *place, classes });
        }
    }

    fn element(&self, state: &State, scalar: Scalar, value: i32) -> Element {
        match scalar {
            // The name of a channel that is gone is nothing.
            Scalar::Chan => self.object(state, value).map_or(Element::Number(0), Element::Channel),
            _ => Element::Number(value),
        }
    }

    fn automaton(&self, members: &Members) -> &'a Automaton {
        &self.system.automata[members.automaton as usize]
    }

    /// Every point, or the points times the values of a slot or two.
    fn draw_nodes(&mut self) {
        for index in 0..self.claims.groups.len() {
            let group = &self.claims.groups[index];
            let few = |values: &Values| values.channels.is_empty() && (2..=4).contains(&values.count());
            let local: Vec<u32> =
                (0..).zip(&group.slots).filter(|(_, v)| few(v)).map(|(slot, _)| slot).collect();
            let global: Vec<u32> = (0..)
                .zip(&self.claims.globals)
                .filter(|(slot, v)| few(v) && !self.system.global_slots[*slot as usize].hidden)
                .map(|(slot, _)| slot)
                .collect();
            let local = if self.random.percent(45) { self.random.pick(&local).copied() } else { None };
            // Some believe that a global stays what it is at the start.
            let (global, stays) = match self.random.below(100) {
                0..30 => (self.random.pick(&global).copied(), false),
                30..40 => (self.random.pick(&self.numbers()).copied(), true),
                _ => (None, false),
            };
            let split = |slot: Option<u32>, claimed: &[Values]| -> Vec<Vec<SlotValues>> {
                match slot {
                    None => vec![vec![]],
                    Some(slot) => claimed[slot as usize]
                        .iter_integers()
                        .map(|value| vec![SlotValues { slot, values: Values::integer(value) }])
                        .collect(),
                }
            };
            let mut nodes = Vec::new();
            for point in points(&self.system.automata[group.automaton as usize]) {
                for locals in split(local, &group.slots) {
                    let known = match global {
                        Some(slot) if stays => vec![vec![SlotValues { slot, values: self.at_start(slot) }]],
                        _ => split(global, &self.claims.globals),
                    };
                    for globals in known {
                        nodes.push(Node { point, locals: locals.clone(), globals, shadows: vec![] });
                    }
                }
            }
            if self.random.percent(6) {
                let keep = self.random.below(nodes.len() + 1);
                nodes.truncate(keep);
            }
            self.claims.groups[index].nodes = nodes;
        }
    }

    /// Global slots that hold numbers which are part of the state.
    fn numbers(&self) -> Vec<u32> {
        let is_number = |slot: &system::automaton::Slot| slot.scalar != Scalar::Chan && !slot.hidden;
        (0..).zip(&self.system.global_slots).filter(|(_, slot)| is_number(slot)).map(|(id, _)| id).collect()
    }

    /// What a global number is at the start.
    fn at_start(&self, slot: u32) -> Values {
        Values::integer(self.states[0].globals[slot as usize])
    }

    fn draw_arcs(&mut self) {
        for (id, automaton) in self.system.process_automata() {
            for (number, edge) in (0..).zip(&automaton.edges) {
                let from = Point::At(edge.source.0);
                let to = Point::At(edge.target.0);
                match &edge.action {
                    Action::End => {
                        self.arcs.push(self.arc(id.0, number, (from, None), &edge.action, edge.progress))
                    }
                    Action::DStep(body) => {
                        for (step, node) in (0..).zip(&body.nodes) {
                            for choice in &node.choices {
                                let inside = |step| Point::Inside { edge: number, step };
                                let to = choice.next.map_or(to, |next| inside(next.0));
                                let progress = edge.progress || choice.progress;
                                let arc =
                                    |from| self.arc(id.0, number, (from, Some(to)), &choice.action, progress);
                                let arcs = match step {
                                    0 => vec![arc(from), arc(inside(0))],
                                    _ => vec![arc(inside(step))],
                                };
                                self.arcs.extend(arcs);
                            }
                        }
                    }
                    action => {
                        let arc = self.arc(id.0, number, (from, Some(to)), action, edge.progress);
                        self.arcs.push(arc);
                    }
                }
            }
        }
    }

    fn arc(
        &self,
        automaton: u32,
        edge: u32,
        (from, to): (Point, Option<Point>),
        action: &Action,
        progress: bool,
    ) -> Arc {
        let object = |channel: &ChannelRef| {
            let slot = channel.place.base;
            let plain = channel.place.frame == Frame::Global && channel.place.indices.is_empty();
            let at = self.objects.iter().position(|o| *o == ObjectPlace::Global { slot });
            at.filter(|_| plain).map(|at| ObjectId(at as u32))
        };
        let constant = |expr: &Expr| match expr.kind {
            ExprKind::Constant { value, .. } => Some(value),
            _ => None,
        };
        let message = match action {
            Action::Send { channel, arguments, .. } => {
                Some((object(channel), arguments.first().and_then(constant), 1))
            }
            Action::Receive { channel, copy: false, arguments, .. } => {
                let value = match arguments.first() {
                    Some(ReceiveArgument::Match(expr)) => constant(expr),
                    _ => None,
                };
                Some((object(channel), value, -1))
            }
            _ => None,
        };
        let mut runs = None;
        action.visit_expressions(&mut |expr| {
            expr.visit(&mut |part| {
                if let ExprKind::Run { proctype, .. } = &part.kind {
                    runs = Some(proctype.0);
                }
            });
        });
        Arc { automaton, edge, from, to, message, runs, progress }
    }

    /// A potential in which messages have these weights and points those of the longest path; what it is at the start.
    fn potential(&mut self, weights: &BTreeMap<(u32, u32), i64>, extra: Extra) -> (Potential, i64) {
        let mut heights: HashMap<(u32, Point), i64> = HashMap::new();
        for _ in 0..40 {
            let mut changed = false;
            for arc in &self.arcs {
                let height =
                    |automaton: u32, point: Point| heights.get(&(automaton, point)).copied().unwrap_or(0);
                let run = arc.runs.map_or(0, |callee| {
                    height(callee, Point::At(self.system.automata[callee as usize].initial.0))
                });
                let added = match extra {
                    Extra::NoProgress if !arc.progress => 1,
                    Extra::Start(callee, weight) if arc.runs == Some(callee) => weight,
                    _ => 0,
                };
                let to = arc.to.map_or(0, |to| height(arc.automaton, to));
                let need = to + run + added + self.change(arc, weights);
                if need > height(arc.automaton, arc.from) {
                    heights.insert((arc.automaton, arc.from), need);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let noise = if self.random.percent(15) { 1 } else { 0 };
        // All nodes of a group may weigh less, as far as the transitions are concerned.
        let less = if self.random.percent(15) { 1 + self.random.below(2) as i64 } else { 0 };
        let lighter = self.random.below(self.claims.groups.len());
        let mut nodes = Vec::new();
        for (group, claimed) in (0..).map(GroupId).zip(&self.claims.groups) {
            for (node, at) in (0..).map(NodeId).zip(&claimed.nodes) {
                let mut weight = heights.get(&(claimed.automaton, at.point)).copied().unwrap_or(0);
                if noise == 1 && self.random.percent(20) {
                    weight += self.random.below(3) as i64 - 1;
                }
                if group.index() == lighter {
                    weight -= less;
                }
                if weight != 0 {
                    nodes.push(NodeWeight { group, node, weight });
                }
            }
        }
        let messages =
            weights.iter().filter(|(_, weight)| **weight != 0).map(|(&(object, class), &weight)| {
                MessageWeight { object: ObjectId(object), class: ClassId(class), weight }
            });
        let messages: Vec<MessageWeight> = messages.collect();
        let mut trackers = Vec::new();
        for (id, tracker) in (0..).map(TrackerId).zip(&self.claims.trackers) {
            for node in (0..).map(NodeId).take(tracker.nodes.len()) {
                if self.random.percent(10) {
                    trackers.push(TrackerWeight { tracker: id, node, weight: 1 });
                }
            }
        }
        let start = self.states[0].processes.iter().map(|process| {
            heights.get(&(process.automaton.0, Point::At(process.location.0))).copied().unwrap_or(0)
        });
        let initial = self.states[0];
        let members =
            (0..initial.processes.len()).filter(|&pid| self.group_of(initial, pid) == Some(lighter));
        let start = start.sum::<i64>() - less * members.count() as i64;
        (Potential { messages, nodes, trackers }, start)
    }

    fn change(&self, arc: &Arc, weights: &BTreeMap<(u32, u32), i64>) -> i64 {
        let Some((object, value, sign)) = arc.message else { return 0 };
        let fits = |class: u32, object: ObjectId| {
            let fields = &self.claims.objects[object.index()].classes[class as usize].fields;
            value.is_none_or(|value| fields.first().is_none_or(|first| first.contains(value)))
        };
        let possible = weights.iter().filter(|((of, class), _)| match object {
            Some(object) => object.0 == *of && fits(*class, object),
            None => true,
        });
        let possible = possible.map(|(_, weight)| *weight);
        match (sign, object) {
            (1, _) => possible.max().unwrap_or(0),
            (_, Some(_)) => -possible.min().unwrap_or(0),
            (_, None) => 0,
        }
    }

    fn buffers(&self) -> Vec<u32> {
        (0..).zip(&self.claims.objects).map(|(id, _)| id).collect()
    }

    fn weights(&mut self, question: Option<u32>) -> BTreeMap<(u32, u32), i64> {
        let mut weights = BTreeMap::new();
        for (object, claimed) in (0..).zip(&self.claims.objects) {
            let capacity = self.capacity(claimed.place);
            let base = if question.is_none_or(|of| of == object) { 1 } else { self.random.below(3) as i64 };
            for class in 0..claimed.classes.len() as u32 {
                let own = if self.random.percent(85) { base } else { self.random.below(4) as i64 - 1 };
                if capacity != Some(0) {
                    weights.insert((object, class), own);
                }
            }
        }
        weights
    }

    fn capacity(&self, place: ObjectPlace) -> Option<u32> {
        let ObjectPlace::Global { slot } = place else { return None };
        let initial = self.states[0];
        let index = usize::try_from(initial.globals[slot as usize]).ok()?.checked_sub(1)?;
        let channel_type = initial.channels.get(index)?.channel_type;
        Some(self.system.model.channel_types[channel_type.0 as usize].capacity)
    }

    fn add_shadow(&mut self) {
        let Some(&object) = self.random.pick(&self.buffers()) else { return };
        let (Some(sender), Some(receiver)) = (self.who(object, 1, 85), self.who(object, -1, 85)) else {
            return;
        };
        let automaton = self.claims.groups[sender].automaton;
        let mut nodes: Vec<Node> = points(&self.system.automata[automaton as usize])
            .map(|point| Node { point, locals: vec![], globals: vec![], shadows: vec![] })
            .collect();
        if self.random.percent(15) {
            nodes.clear();
        }
        // The sender is said to be somewhere with one value only, which it may never have there.
        let mut never = None;
        if self.random.percent(40) {
            let slots: Vec<(u32, &Values)> = (0..).zip(&self.claims.groups[sender].slots).collect();
            let slots = slots.into_iter().filter(|(_, values)| values.channels.is_empty());
            let slots: Vec<(u32, i32)> =
                slots.filter_map(|(slot, values)| Some((slot, values.hull()?.high))).collect();
            let at = self.random.below(nodes.len());
            if let (Some(&(slot, value)), Some(node)) = (self.random.pick(&slots), nodes.get_mut(at)) {
                node.locals = vec![SlotValues { slot, values: Values::integer(value) }];
                never = Some(node.point);
            }
        }
        let closed = self.random.percent(70).then(|| self.followed((automaton, never), receiver, object));
        let group = &mut self.claims.groups[receiver];
        if nodes.len() * group.nodes.len() > 400 {
            return;
        }
        let places = (0..).map(NodeId).zip(&nodes);
        let keep = |point: Point, at: Point| closed.as_ref().is_none_or(|set| set.contains(&(point, at)));
        group.nodes = (group.nodes.iter())
            .flat_map(|node| {
                let places = places.clone().filter(|(_, at)| keep(node.point, at.point));
                places.map(|(at, _)| Node { shadows: vec![at], ..node.clone() })
            })
            .collect();
        let id = AuxiliaryId(self.claims.auxiliaries.len() as u32);
        group.shadows.push(Shadow { object: ObjectId(object), sender: id });
        self.claims.auxiliaries.push(Auxiliary { group: GroupId(sender as u32), nodes });
    }

    /// A group whose processes send to the object (or, -1, receive from it); so many times in a hundred, otherwise any.
    fn who(&mut self, object: u32, sign: i64, percent: usize) -> Option<usize> {
        let concerns = |arc: &&Arc| {
            arc.message.is_some_and(|(of, _, way)| way == sign && of.is_none_or(|of| of.0 == object))
        };
        let automata: BTreeSet<u32> = self.arcs.iter().filter(concerns).map(|arc| arc.automaton).collect();
        let any = !self.random.percent(percent);
        let groups = self.claims.groups.iter().enumerate();
        let groups = groups.filter(|(_, group)| any || automata.contains(&group.automaton));
        let groups: Vec<usize> = groups.map(|(index, _)| index).collect();
        self.random.pick(&groups).copied()
    }

    /// Where the receiver and its shadow get, if only this sender sends to the object, only the receiver takes from it, everything
    /// in order, and the sender is never at the point.
    fn followed(
        &self,
        (sender, never): (u32, Option<Point>),
        receiver: usize,
        object: u32,
    ) -> BTreeSet<(Point, Point)> {
        let receiver = self.claims.groups[receiver].automaton;
        let concerns = |arc: &Arc, sign: i64| match arc.message {
            Some((of, value, direction)) if direction == sign && of.is_none_or(|of| of.0 == object) => {
                Some(value)
            }
            _ => None,
        };
        let of_sender = || self.arcs.iter().filter(|arc| arc.automaton == sender && arc.to != never);
        let sends = of_sender().any(|arc| concerns(arc, 1).is_some());
        let after = |at: Point, wanted: Option<i32>| -> BTreeSet<Point> {
            let (mut open, mut seen, mut found) = (vec![at], BTreeSet::from([at]), BTreeSet::new());
            while let Some(at) = open.pop() {
                for arc in of_sender().filter(|arc| arc.from == at) {
                    let Some(to) = arc.to else { continue };
                    match concerns(arc, 1) {
                        Some(value) if value == wanted || value.is_none() || wanted.is_none() => {
                            found.insert(to);
                        }
                        Some(_) => {}
                        None if seen.insert(to) => open.push(to),
                        None => {}
                    }
                }
            }
            found
        };
        let initial = |automaton: u32| Point::At(self.system.automata[automaton as usize].initial.0);
        let start = (initial(receiver), initial(sender));
        let (mut open, mut seen) = (vec![start], BTreeSet::from([start]));
        while let Some((point, at)) = open.pop() {
            for arc in self.arcs.iter().filter(|arc| arc.automaton == receiver && arc.from == point) {
                let Some(to) = arc.to else { continue };
                let places = match concerns(arc, -1) {
                    Some(wanted) if sends => after(at, wanted),
                    _ => BTreeSet::from([at]),
                };
                let next = places.into_iter().map(|at| (to, at));
                open.extend(next.filter(|place| seen.insert(*place)));
            }
        }
        seen
    }

    fn add_tracker(&mut self) {
        let few = |slot: u32, values: &Values| {
            values.channels.is_empty()
                && values.count() <= 4
                && !self.system.global_slots[slot as usize].hidden
        };
        let slots: Vec<u32> =
            (0..).zip(&self.claims.globals).filter(|(slot, v)| few(*slot, v)).map(|(slot, _)| slot).collect();
        // Some know of the start only.
        if self.random.percent(30) {
            let Some(&slot) = self.random.pick(&self.numbers()) else { return };
            let nodes = vec![vec![self.at_start(slot)]];
            self.claims.trackers.push(Tracker { slots: vec![slot], nodes });
            return;
        }
        let Some(&slot) = self.random.pick(&slots) else { return };
        let values = &self.claims.globals[slot as usize];
        let nodes = values.iter_integers().map(|value| vec![Values::integer(value)]).collect();
        self.claims.trackers.push(Tracker { slots: vec![slot], nodes });
    }

    fn add_bar(&mut self) {
        if self.random.percent(50) {
            self.add_debt();
            return;
        }
        let weights = self.weights(None);
        let (potential, total) = self.potential(&weights, Extra::None);
        let total = if self.random.percent(25) { self.random.below(3) as i64 } else { total };
        self.claims.bars.push(Bar { total, potential });
    }

    /// Whoever has sent to a buffer weighs something, which the message that it sent makes up for.
    fn add_debt(&mut self) {
        let Some(&object) = self.random.pick(&self.buffers()) else { return };
        let sends = |arc: &&Arc| {
            arc.message.is_some_and(|(to, _, sign)| sign == 1 && to.is_none_or(|to| to.0 == object))
        };
        let senders: BTreeSet<u32> = self.arcs.iter().filter(sends).map(|arc| arc.automaton).collect();
        let mut nodes = Vec::new();
        for (group, claimed) in (0..).map(GroupId).zip(&self.claims.groups) {
            let initial = Point::At(self.system.automata[claimed.automaton as usize].initial.0);
            let (mut open, mut before) = (vec![initial], BTreeSet::from([initial]));
            while let Some(at) = open.pop() {
                let arcs =
                    self.arcs.iter().filter(|arc| arc.automaton == claimed.automaton && arc.from == at);
                let next = arcs.filter(|arc| !sends(arc)).filter_map(|arc| arc.to);
                open.extend(next.filter(|to| before.insert(*to)));
            }
            let owes = |node: &Node| senders.contains(&claimed.automaton) && !before.contains(&node.point);
            let owing = (0..).map(NodeId).zip(&claimed.nodes).filter(|(_, node)| owes(node));
            nodes.extend(owing.map(|(node, _)| NodeWeight { group, node, weight: 1 }));
        }
        let classes = (0..).map(ClassId).take(self.claims.objects[object as usize].classes.len());
        let messages =
            classes.map(|class| MessageWeight { object: ObjectId(object), class, weight: -1 }).collect();
        let potential = Potential { messages, nodes, trackers: vec![] };
        self.claims.bars.push(Bar { total: 0, potential });
    }

    /// A proof for each group that `run` fills and that is claimed to have a size.
    fn starts(&mut self) -> Vec<Proof> {
        let mut proofs = Vec::new();
        for index in 0..self.groups.len() {
            let Members { automaton, any_pid: true, at_most: Some(_), ref pids, .. } = self.groups[index]
            else {
                continue;
            };
            // Some do not show it.
            if self.random.percent(20) {
                continue;
            }
            let own = pids.len() as i64;
            let (potential, start) = self.potential(&BTreeMap::new(), Extra::Start(automaton, 1));
            let at_most = u64::try_from(start + own).unwrap_or(0);
            self.claims.groups[index].at_most = u32::try_from(at_most).ok();
            proofs.push(Proof::Starts { group: GroupId(index as u32), at_most, denominator: 1, potential });
        }
        proofs
    }

    fn proof(&mut self) -> Option<Proof> {
        let buffers = self.buffers();
        let object = self.random.pick(&buffers).copied();
        Some(match self.random.below(12) {
            0..=2 => {
                let weights = self.weights(Some(object?));
                let (potential, start) = self.potential(&weights, Extra::None);
                let at_most = self.about(start);
                let case = BoundCase { after: None, denominator: 1, potential };
                Proof::Bound { object: ObjectId(object?), at_most, cases: vec![case] }
            }
            3 => self.bound_after(object?),
            4 => {
                let weights = self.weights(None);
                let (potential, start) = self.potential(&weights, Extra::None);
                let at_most = self.about(start);
                let buffers = buffers
                    .iter()
                    .filter(|object| self.capacity(self.claims.objects[**object as usize].place) != Some(0))
                    .map(|&object| {
                        let nothing = self.claims.objects[object as usize].classes.is_empty();
                        let at_most = if nothing { 0 } else { at_most };
                        BufferBound { object: ObjectId(object), at_most }
                    })
                    .collect();
                Proof::Bounds { buffers, potential }
            }
            5 => {
                let group = self.who(object?, 1, 60)? as u32;
                let known = (0..).map(NodeId).take(self.claims.groups[group as usize].nodes.len());
                let at_most = 1 + self.random.below(3) as u64;
                let some = [0, 0, 30, 100][self.random.below(4)];
                let known: Vec<KnownLength> = known
                    .filter(|_| self.random.percent(some))
                    .map(|node| KnownLength { node, at_most: at_most - 1 })
                    .collect();
                let at_most = if self.random.percent(5) { u64::MAX } else { at_most };
                Proof::Guarded { object: ObjectId(object?), at_most, sender: GroupId(group), known }
            }
            6 => Proof::Bound { object: ObjectId(object?), at_most: 2, cases: vec![] },
            7 | 8 => Proof::AllBounded { stage: self.stage(Extra::None, 2) },
            _ => {
                let statements: Vec<ProgressStatement> = self
                    .arcs
                    .iter()
                    .map(|arc| ProgressStatement { automaton: arc.automaton, edge: arc.edge, inside: None })
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect();
                let progress = match self.random.below(3) {
                    0 => Progress::Labels,
                    1 => Progress::At(vec![]),
                    _ => Progress::At(statements.into_iter().filter(|_| self.random.percent(50)).collect()),
                };
                for arc in &mut self.arcs {
                    if let Progress::At(statements) = &progress {
                        arc.progress =
                            statements.iter().any(|s| (s.automaton, s.edge) == (arc.automaton, arc.edge));
                    }
                }
                Proof::LivelockFree { progress, stage: self.stage(Extra::NoProgress, 2) }
            }
        })
    }

    /// Says that a group has the processes that it has at the start, if nobody starts more.
    fn plain(&mut self) -> Option<Proof> {
        let alone = (0..self.groups.len()).filter(|&index| !self.groups[index].any_pid);
        let alone: Vec<usize> = alone.collect();
        let group = *self.random.pick(&alone)?;
        let at_most = self.claims.groups.get(group)?.at_most?.into();
        let potential = Potential::default();
        Some(Proof::Starts { group: GroupId(group as u32), at_most, denominator: 1, potential })
    }

    /// Says that nothing happens at all. Where something does, only a hole in the rules lets it pass.
    fn audacious(&mut self) -> Option<Proof> {
        let buffers = self.buffers();
        let classes = |claims: &Claims, object: u32| {
            (0..).map(ClassId).take(claims.objects[object as usize].classes.len())
        };
        let weigh = |claims: &Claims, object: u32| -> Vec<MessageWeight> {
            let weight = |class| MessageWeight { object: ObjectId(object), class, weight: 1 };
            classes(claims, object).map(weight).collect()
        };
        Some(match self.random.below(3) {
            0 => {
                let object = *self.random.pick(&buffers)?;
                let messages = weigh(&self.claims, object);
                let potential = Potential { messages, ..Potential::default() };
                let case = BoundCase { after: None, denominator: 1, potential };
                Proof::Bound { object: ObjectId(object), at_most: 0, cases: vec![case] }
            }
            1 => {
                let messages = buffers.iter().flat_map(|&object| weigh(&self.claims, object)).collect();
                let potential = Potential { messages, ..Potential::default() };
                Proof::AllBounded { stage: Stage { potential, next: Next::Closed } }
            }
            _ => {
                let stage = Stage { potential: Potential::default(), next: Next::Closed };
                Proof::LivelockFree { progress: Progress::At(vec![]), stage }
            }
        })
    }

    /// Tries to make a process, a message or a value vanish.
    fn attack(&mut self) -> Option<Proof> {
        let group = self.random.below(self.claims.groups.len());
        match self.random.below(8) {
            0 => self.claims.groups[group].nodes.clear(),
            1 => return self.follow_nobody(group),
            2 => self.take_a_number_for_a_channel(),
            3 => {
                let object = self.random.pick(&self.claims.objects)?.clone();
                let at = self.random.below(2);
                self.claims.objects.insert(if at == 0 { 0 } else { self.claims.objects.len() }, object);
            }
            4 => {
                let classes = self.claims.objects.iter_mut().flat_map(|object| &mut object.classes);
                classes.for_each(|class| class.fields.truncate(0));
            }
            5 => self.claims.trackers.iter_mut().for_each(|tracker| tracker.nodes.clear()),
            6 => {
                let slots = self.claims.globals.iter_mut().chain(&mut self.claims.groups[group].slots);
                let start = Values::integer(0);
                slots.filter(|values| values.contains(0)).for_each(|values| *values = start.clone());
            }
            _ => {
                let initial = self.system.automata[self.claims.groups[group].automaton as usize].initial.0;
                self.claims.groups[group].nodes.retain(|node| node.point == Point::At(initial));
            }
        }
        None
    }

    /// Says that nobody has a channel but in the variable where it is declared.
    fn forget_a_channel(&mut self) {
        let is_local = |place: &ObjectPlace| matches!(place, ObjectPlace::Local { .. });
        let some: Vec<usize> = (0..self.objects.len()).filter(|&at| is_local(&self.objects[at])).collect();
        let Some(&object) = self.random.pick(&some) else { return };
        let place = self.objects[object];
        let forgotten = Values::channel(ObjectId(object as u32));
        let forget = |values: &mut Values| *values = values.difference(&forgotten);
        for (slot, values) in (0..).zip(&mut self.claims.globals) {
            if place != (ObjectPlace::Global { slot }) {
                forget(values);
            }
        }
        for (group, claimed) in (0..).map(GroupId).zip(&mut self.claims.groups) {
            for (slot, values) in (0..).zip(&mut claimed.slots) {
                if place != (ObjectPlace::Local { group, slot }) {
                    forget(values);
                }
            }
        }
        let classes = self.claims.objects.iter_mut().flat_map(|object| &mut object.classes);
        classes.flat_map(|class| &mut class.fields).for_each(forget);
    }

    /// A shadow of a group that never has a process, so that the receiver has no place to begin.
    fn follow_nobody(&mut self, receiver: usize) -> Option<Proof> {
        let object = *self.random.pick(&self.buffers())?;
        let payer = self.random.below(self.claims.groups.len());
        let nobody = Group {
            pid: Values::integer(7),
            at_most: Some(1),
            nodes: vec![],
            shadows: vec![],
            ..self.claims.groups[payer].clone()
        };
        let id = GroupId(self.claims.groups.len() as u32);
        self.claims.groups.push(nobody);
        let sender = AuxiliaryId(self.claims.auxiliaries.len() as u32);
        self.claims.auxiliaries.push(Auxiliary { group: id, nodes: vec![] });
        let group = &mut self.claims.groups[receiver];
        group.nodes.clear();
        group.shadows = vec![Shadow { object: ObjectId(object), sender }];
        let payer = GroupId(payer as u32);
        let nodes = (0..).map(NodeId).take(self.claims.groups[payer.index()].nodes.len());
        let nodes = nodes.map(|node| NodeWeight { group: payer, node, weight: 1 }).collect();
        let potential = Potential { nodes, ..Potential::default() };
        Some(Proof::Starts { group: id, at_most: 1, denominator: 1, potential })
    }

    /// A number that is the number of a channel is claimed to be that channel by some and a number by others.
    fn take_a_number_for_a_channel(&mut self) {
        let initial = self.states[0];
        let puns: Vec<(u32, ObjectId, i32)> = (0..)
            .zip(self.system.global_slots.iter().zip(&initial.globals))
            .filter(|(_, (slot, _))| slot.scalar != Scalar::Chan && !slot.hidden)
            .filter_map(|(slot, (_, &value))| Some((slot, self.object(initial, value)?, value)))
            .collect();
        let Some(&(slot, object, value)) = self.random.pick(&puns) else { return };
        let claimed = &mut self.claims.globals[slot as usize];
        *claimed = claimed.union(&Values::channel(object));
        self.claims.trackers = vec![Tracker { slots: vec![slot], nodes: vec![vec![Values::integer(value)]] }];
        for node in self.claims.groups.iter_mut().flat_map(|group| &mut group.nodes) {
            node.globals = vec![SlotValues { slot, values: Values::channel(object) }];
        }
    }

    /// A bound just after each send.
    fn bound_after(&mut self, object: u32) -> Proof {
        let weights = self.weights(Some(object));
        let mut arrivals: BTreeMap<GroupId, BTreeSet<NodeId>> = BTreeMap::new();
        for arc in &self.arcs {
            let sends =
                arc.message.is_some_and(|(to, _, sign)| sign == 1 && to.is_none_or(|to| to.0 == object));
            for (group, claimed) in (0..).map(GroupId).zip(&self.claims.groups) {
                if sends && claimed.automaton == arc.automaton {
                    let nodes = (0..).map(NodeId).zip(&claimed.nodes);
                    let there = nodes.filter(|(_, node)| Some(node.point) == arc.to).map(|(id, _)| id);
                    arrivals.entry(group).or_default().extend(there);
                }
            }
        }
        let mut most = 0;
        let cases = arrivals.into_iter().map(|(group, nodes)| {
            let (potential, start) = self.potential(&weights, Extra::None);
            for node in &nodes {
                let weight = potential.nodes.iter().find(|w| (w.group, w.node) == (group, *node));
                most = most.max(start - weight.map_or(0, |w| w.weight));
            }
            let after = Some(Arrival { group, nodes: nodes.into_iter().collect() });
            BoundCase { after, denominator: 1, potential }
        });
        let cases = cases.collect();
        Proof::Bound { object: ObjectId(object), at_most: self.about(most), cases }
    }

    fn stage(&mut self, extra: Extra, depth: usize) -> Stage {
        let mut weights = self.weights(None);
        if extra == Extra::NoProgress && self.random.percent(50) {
            let factor = self.random.below(6) as i64 - 2;
            weights.values_mut().for_each(|weight| *weight *= factor);
        }
        if self.random.percent(20) {
            weights.clear();
        }
        let (potential, _) = self.potential(&weights, extra);
        if depth == 0 || self.random.percent(70) {
            return Stage { potential, next: Next::Closed };
        }
        let component = match self.claims.trackers.len() {
            count if count > 0 && self.random.percent(40) => {
                Component::Tracker(TrackerId(self.random.below(count) as u32))
            }
            _ => Component::Group(GroupId(self.random.below(self.claims.groups.len()) as u32)),
        };
        let parts = (0..self.random.below(3)).map(|_| self.stage(extra, depth - 1)).collect();
        Stage { potential, next: Next::Split { component, parts } }
    }

    /// The figure, or one beside it.
    fn about(&mut self, figure: i64) -> u64 {
        let figure = u64::try_from(figure).unwrap_or(0);
        match self.random.below(20) {
            0 => figure.saturating_sub(1),
            1 => figure + 1,
            2 => u64::MAX,
            _ => figure,
        }
    }
}

/// What a place held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Element {
    Number(i32),
    Channel(ObjectId),
}

#[derive(Clone, Default)]
struct Seen(BTreeSet<Element>);

impl Seen {
    /// What was seen, or something around it.
    fn values(&self, scalar: Scalar, random: &mut Random) -> Values {
        let exact = set(self.0.iter().copied());
        if scalar == Scalar::Chan {
            let none = if random.percent(50) { Values::none() } else { Values::integer(0) };
            return exact.union(&none);
        }
        let (low, high) = scalar.range();
        match (random.below(10), exact.hull()) {
            (0..=3, _) | (_, None) => exact,
            (4, Some(hull)) => Values::interval(hull.low, hull.high),
            (5..=8, Some(_)) => Values::interval(low, high),
            (_, Some(hull)) => Values::interval(hull.low, hull.high.saturating_sub(random.below(2) as i32)),
        }
    }
}

fn set(elements: impl Iterator<Item = Element>) -> Values {
    elements.fold(Values::none(), |values, element| match element {
        Element::Number(value) => values.union(&Values::integer(value)),
        Element::Channel(object) => values.union(&Values::channel(object)),
    })
}

/// One class for each message, or one for all.
fn classes(messages: BTreeSet<Vec<Element>>, merge: bool) -> Vec<MessageClass> {
    let single = |message: &Vec<Element>| MessageClass {
        fields: message.iter().map(|element| set([*element].into_iter())).collect(),
    };
    let mut classes: Vec<MessageClass> = messages.iter().map(single).collect();
    if merge || classes.len() > 6 {
        let all = classes.into_iter().reduce(|one, other| MessageClass {
            fields: one.fields.iter().zip(&other.fields).map(|(a, b)| a.union(b)).collect(),
        });
        classes = all.into_iter().collect();
    }
    classes
}

/// Every place where a process may stand.
fn points(automaton: &Automaton) -> impl Iterator<Item = Point> {
    let locations = (0..).take(automaton.locations.len()).map(Point::At);
    let inside = (0..).zip(&automaton.edges).flat_map(|(edge, action)| {
        let steps = match &action.action {
            Action::DStep(body) => body.nodes.len(),
            _ => 0,
        };
        (0..).take(steps).map(move |step| Point::Inside { edge, step })
    });
    locations.chain(inside)
}

fn is_run(system: &System, automaton: u32) -> bool {
    let mut found = false;
    for edge in system.process_automata().flat_map(|(_, automaton)| &automaton.edges) {
        edge.action.visit_expressions(&mut |expr| {
            expr.visit(&mut |part| {
                found |= matches!(&part.kind, ExprKind::Run { proctype, .. } if proctype.0 == automaton);
            });
        });
    }
    found
}
