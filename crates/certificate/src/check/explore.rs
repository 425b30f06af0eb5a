//! Everything that the claims allow each process to do next: the statements of every node of every graph.

use super::environment::Environment;
use super::evaluate::{Evaluator, truncate};
use super::lookup::Lookup;
use super::number::NumberStep;
use super::refusal::{Refusal, statement_text};
use super::rule::{Broken, Rule};
use super::statement::{Effect, Outcome, Statements, started_pids};
use crate::claims::{
    AuxiliaryId, Claims, ClassId, Group, GroupId, Node, NodeId, ObjectId, ObjectPlace, Point, TrackerId,
};
use crate::potential::NumberWeight;
use crate::values::{Values, subtract};
use promela::model::{ChannelTypeId, ExprKind, Frame, Initializer, ProctypeId, Type, Variable};
use promela::model::{Expr, Place, ReceiveArgument};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use system::automaton::{Action, Automaton, EdgeId, System};

/// A statement that a process in a node may execute, with one of its outcomes.
#[derive(Clone, Debug)]
pub struct Half<'a> {
    /// The process's group.
    pub group: GroupId,
    /// Where it stands.
    pub node: NodeId,
    /// The statement.
    pub edge: EdgeId,
    /// Which node and choice of its `d_step` it is.
    pub inside: Option<(u32, u32)>,
    /// What is known before it.
    pub before: Environment<'a>,
    /// What is known after it.
    pub after: Environment<'a>,
    /// Global slots that it writes.
    pub written: Vec<u32>,
    /// What it does besides.
    pub effect: Effect,
    /// Where it leads; `None` if the process ends.
    pub target: Option<Point>,
    /// The nodes of trackers for which this is the outcome.
    pub trackers: BTreeMap<TrackerId, NodeId>,
    /// For each number what is known of it before, and what the statement does to it.
    pub numbers: Vec<NumberStep>,
}

/// How often somebody is asked whether to go on.
pub const STATEMENTS_BETWEEN_GLANCES: usize = 256;

/// Nodes of trackers, and what is known while they are there.
type Choice<'a> = (BTreeMap<TrackerId, NodeId>, Environment<'a>);

/// More combinations of nodes of trackers for the statements of one node are refused, not computed.
const MOST_CHOICES: usize = 20_000;

/// Where a shadow may be after the next message of each class.
pub type ShadowMoves = Vec<BTreeMap<ClassId, BTreeSet<NodeId>>>;

/// The system and the claims that are checked, with what is computed from them once.
pub struct Explorer<'a> {
    /// The system.
    pub system: &'a System,
    /// The claims.
    pub claims: &'a Claims,
    /// The type of each object's channels.
    pub channel_types: &'a [ChannelTypeId],
    /// For each group its nodes.
    pub lookups: Vec<Lookup>,
    /// Asked now and then; `true` ends the work.
    cancelled: &'a dyn Fn() -> bool,
    objects: HashMap<ObjectPlace, ObjectId>,
    /// The linear invariants.
    pub invariants: Vec<InvariantWeights>,
}

/// An invariant for looking things up.
pub struct InvariantWeights {
    /// What it is at the start.
    pub total: i64,
    /// Of nodes.
    pub nodes: HashMap<(GroupId, NodeId), i64>,
    /// Of messages.
    pub messages: HashMap<(ObjectId, ClassId), i64>,
    /// Of numbers.
    pub numbers: Vec<NumberWeight>,
}

impl<'a> Explorer<'a> {
    /// Prepares for claims that are well formed.
    pub fn new(
        system: &'a System,
        claims: &'a Claims,
        channel_types: &'a [ChannelTypeId],
        cancelled: &'a dyn Fn() -> bool,
    ) -> Self {
        let lookups = claims.groups.iter().map(|group| Lookup::new(&group.nodes)).collect();
        let objects =
            claims.objects.iter().enumerate().map(|(i, object)| (object.place, ObjectId(i as u32))).collect();
        let invariants = claims.invariants.iter().map(|invariant| InvariantWeights {
            total: invariant.total,
            nodes: invariant.potential.nodes.iter().map(|n| ((n.group, n.node), n.weight)).collect(),
            messages: invariant.potential.messages.iter().map(|m| ((m.object, m.class), m.weight)).collect(),
            numbers: invariant.potential.numbers.clone(),
        });
        Explorer {
            system,
            claims,
            channel_types,
            lookups,
            cancelled,
            objects,
            invariants: invariants.collect(),
        }
    }

    /// Whether some invariant excludes that a process stands in the node, or that it takes a message of the class there. That the invariants are
    /// right is checked with the proofs. (Those that weigh numbers are asked with each transition.)
    fn is_barred(&self, group: GroupId, node: NodeId, taken: Option<(ObjectId, ClassId)>) -> bool {
        self.invariants.iter().filter(|invariant| invariant.numbers.is_empty()).any(|invariant| {
            let node = invariant.nodes.get(&(group, node)).copied().unwrap_or(0);
            let taken = taken.and_then(|class| invariant.messages.get(&class)).copied().unwrap_or(0);
            i128::from(node).saturating_add(taken.into()) > i128::from(invariant.total)
        })
    }

    /// Nothing, unless somebody wants the work to end.
    pub fn go_on(&self) -> Result<(), Refusal> {
        if (self.cancelled)() { Err(Refusal::Cancelled) } else { Ok(()) }
    }

    /// The object that is declared at a place.
    pub fn object_at(&self, place: ObjectPlace) -> Option<ObjectId> {
        self.objects.get(&place).copied()
    }

    /// Whether an object's channels are rendezvous channels.
    pub fn is_rendezvous(&self, object: ObjectId) -> bool {
        self.capacity(object) == 0
    }

    /// The declared capacity of an object's channels.
    pub fn capacity(&self, object: ObjectId) -> u32 {
        self.system.model.channel_types[self.channel_types[object.index()].0 as usize].capacity
    }

    /// The automaton of a group.
    pub fn automaton(&self, group: GroupId) -> &'a Automaton {
        &self.system.automata[self.claims.groups[group.index()].automaton as usize]
    }

    /// What is known of a process in a node; `None` if nothing can be there.
    pub fn environment(&self, group: &'a Group, node: &Node) -> Option<Environment<'a>> {
        let mut environment = Environment::new(&group.slots, &self.claims.globals, &group.pid);
        let possible = environment.narrow(Frame::Local, &node.locals)
            && environment.narrow(Frame::Global, &node.globals);
        possible.then_some(environment)
    }

    /// All statements of all nodes of all groups.
    pub fn halves(&self) -> Result<Vec<Half<'a>>, Refusal> {
        let mut halves = Vec::new();
        for index in 0..self.claims.groups.len() {
            let id = GroupId(index as u32);
            let group = &self.claims.groups[index];
            let listed: BTreeSet<u32> =
                group.nodes.iter().flat_map(|node| node.globals.iter().map(|entry| entry.slot)).collect();
            for (position, node) in group.nodes.iter().enumerate() {
                if position % STATEMENTS_BETWEEN_GLANCES == 0 {
                    self.go_on()?;
                }
                let node_id = NodeId(position as u32);
                if self.is_barred(id, node_id, None) {
                    continue;
                }
                let Some(environment) = self.environment(group, node) else { continue };
                let choices = self.tracker_choices(self.automaton(id), node, &listed, environment)?;
                for (trackers, before) in choices {
                    let outcomes = match self.statements().outcomes(self.automaton(id), node.point, &before) {
                        Ok(outcomes) => outcomes,
                        Err((edge, broken)) => {
                            self.refuse(id, edge, broken)?;
                            continue;
                        }
                    };
                    let happens = |outcome: &Outcome| match outcome.effect {
                        Effect::Take { object, class, .. } => {
                            !self.is_barred(id, node_id, Some((object, class)))
                        }
                        _ => true,
                    };
                    for outcome in outcomes.into_iter().filter(happens) {
                        let Some(numbers) = self.number_steps((id, node_id), &before, &outcome)? else {
                            continue;
                        };
                        halves.push(Half {
                            group: id,
                            node: node_id,
                            edge: outcome.edge,
                            inside: outcome.inside,
                            before: before.clone(),
                            after: outcome.environment,
                            written: outcome.written,
                            effect: outcome.effect,
                            target: outcome.target,
                            trackers: trackers.clone(),
                            numbers,
                        });
                    }
                }
            }
        }
        Ok(halves)
    }

    /// R16: where a new process may stand: group and node, with its shadows at their beginning.
    pub fn started(
        &self,
        proctype: ProctypeId,
        arguments: &[Values],
        from: &Environment<'a>,
        shadows: &dyn Fn(GroupId) -> Vec<Vec<NodeId>>,
    ) -> Result<Vec<(GroupId, NodeId)>, Broken> {
        let mut found = Vec::new();
        for (id, environment) in self.started_environments(proctype, arguments, from)? {
            let group = &self.claims.groups[id.index()];
            let point = Point::At(self.automaton(id).initial.0);
            for shadow in shadows(id) {
                let nodes = self.lookups[id.index()].candidates(point, shadow, &environment);
                let covered = cover(&group.nodes, nodes, &environment).map_err(|what| {
                    not_started(format!("a process started in group {} stands in no node: {what}", id.0))
                })?;
                found.extend(covered.into_iter().map(|(node, _)| (id, node)));
            }
        }
        Ok(found)
    }

    /// R16: groups in which a `run` may start a process, with the frame that it begins with. Each process goes to the first group of its
    /// proctype whose sets for the parameters contain the arguments.
    pub fn started_environments(
        &self,
        proctype: ProctypeId,
        arguments: &[Values],
        from: &Environment<'a>,
    ) -> Result<Vec<(GroupId, Environment<'a>)>, Broken> {
        let mut found = Vec::new();
        if arguments.iter().any(Values::is_empty) {
            return Ok(found);
        }
        let mut rest = vec![arguments.to_vec()];
        for (id, group) in (0..).map(GroupId).zip(&self.claims.groups) {
            if rest.is_empty() {
                break;
            }
            let parameters = &group.slots[..arguments.len().min(group.slots.len())];
            let meets = |part: &Vec<Values>| part.iter().zip(parameters).all(|(a, b)| !a.is_disjoint(b));
            if group.automaton != proctype.0 || !rest.iter().any(meets) {
                continue;
            }
            let mut left = Vec::new();
            for part in rest {
                if subtract(&part, parameters, &mut left) {
                    if !started_pids(self.system).is_subset(&group.pid) {
                        let what = format!("group {} does not allow the pids of what `run` starts", id.0);
                        return Err(not_started(what));
                    }
                    let part: Vec<Values> = part
                        .iter()
                        .zip(parameters)
                        .map(|(have, claimed)| have.intersection(claimed))
                        .collect();
                    found.push((id, self.initial_frame(id, &part, from)?));
                }
            }
            rest = left;
        }
        match rest.first() {
            Some(part) => {
                Err(not_started(format!("it may start a process with {part:?}, which is in no group")))
            }
            None => Ok(found),
        }
    }

    /// R22: for each shadow position, where the shadow may be after the next message of each class.
    pub fn shadow_moves(&self, id: AuxiliaryId, object: ObjectId) -> Result<ShadowMoves, Refusal> {
        let auxiliary = &self.claims.auxiliaries[id.index()];
        let group_id = auxiliary.group;
        let group = &self.claims.groups[group_id.index()];
        let lookup = Lookup::new(&auxiliary.nodes);
        let mut silent: Vec<Vec<NodeId>> = vec![Vec::new(); auxiliary.nodes.len()];
        let mut sends: Vec<Vec<(ClassId, NodeId)>> = vec![Vec::new(); auxiliary.nodes.len()];
        for (from, node) in auxiliary.nodes.iter().enumerate() {
            let Some(environment) = self.environment(group, node) else { continue };
            let outcomes =
                match self.statements().outcomes(self.automaton(group_id), node.point, &environment) {
                    Ok(outcomes) => outcomes,
                    Err((edge, broken)) => {
                        self.refuse(group_id, edge, broken)?;
                        continue;
                    }
                };
            for outcome in outcomes {
                let Some(point) = outcome.target else { continue };
                // The group's own graph shows that its claims hold; here they may be used.
                let mut after = outcome.environment;
                let claimed: Vec<(u32, Values)> = after
                    .known(Frame::Local)
                    .iter()
                    .map(|(slot, values)| (*slot, values.intersection(&group.slots[*slot as usize])))
                    .collect();
                if claimed.iter().any(|(_, values)| values.is_empty()) {
                    continue;
                }
                for (slot, values) in claimed {
                    after.set(Frame::Local, slot, values);
                }
                let candidates = lookup.candidates(point, Vec::new(), &after);
                let covered = match cover(&auxiliary.nodes, candidates, &after) {
                    Ok(covered) => covered,
                    Err(what) => {
                        let what = format!("auxiliary graph {}: {what}", id.0);
                        self.refuse(group_id, outcome.edge, Broken { rule: Rule::SenderGraph, what })?;
                        continue;
                    }
                };
                for (to, _) in covered {
                    match outcome.effect {
                        Effect::Put { object: put, class, .. } if put == object => {
                            sends[from].push((class, to))
                        }
                        _ => silent[from].push(to),
                    }
                }
            }
        }
        let mut moves = Vec::with_capacity(auxiliary.nodes.len());
        for from in 0..auxiliary.nodes.len() {
            let mut reached = BTreeSet::from([NodeId(from as u32)]);
            let mut open = vec![NodeId(from as u32)];
            let mut next: BTreeMap<ClassId, BTreeSet<NodeId>> = BTreeMap::new();
            while let Some(node) = open.pop() {
                for &(class, to) in &sends[node.index()] {
                    next.entry(class).or_default().insert(to);
                }
                open.extend(silent[node.index()].iter().filter(|to| reached.insert(**to)));
            }
            moves.push(next);
        }
        Ok(moves)
    }

    /// R22: nodes of an auxiliary graph that cover an environment at the beginning of the automaton.
    pub fn auxiliary_start(
        &self,
        id: AuxiliaryId,
        environment: &Environment<'a>,
    ) -> Result<Vec<NodeId>, Broken> {
        let auxiliary = &self.claims.auxiliaries[id.index()];
        let initial = Point::At(self.automaton(auxiliary.group).initial.0);
        let lookup = Lookup::new(&auxiliary.nodes);
        let nodes = lookup.candidates(initial, Vec::new(), environment);
        let covered = cover(&auxiliary.nodes, nodes, environment).map_err(|what| {
            let what = format!("a process that is started is not in auxiliary graph {}: {what}", id.0);
            Broken { rule: Rule::SenderGraph, what }
        })?;
        Ok(covered.into_iter().map(|(node, _)| node).collect())
    }

    /// Refuses because of a statement.
    pub fn refuse(&self, group: GroupId, edge: EdgeId, broken: Broken) -> Result<(), Refusal> {
        let statement = statement_text(self.system, self.automaton(group), edge);
        broken.rule.refuse(format!("{statement}: {}", broken.what))
    }

    /// Evaluates expressions.
    pub fn evaluator(&self) -> Evaluator<'a> {
        Evaluator { system: self.system, claims: self.claims }
    }

    fn statements(&self) -> Statements<'a> {
        let evaluator = self.evaluator();
        Statements { evaluator, channel_types: self.channel_types }
    }

    /// One environment for each combination of nodes of the trackers that the statements at the node have to do with (R12: not too many).
    fn tracker_choices(
        &self,
        automaton: &Automaton,
        node: &Node,
        listed: &BTreeSet<u32>,
        environment: Environment<'a>,
    ) -> Result<Vec<Choice<'a>>, Refusal> {
        let mut choices = vec![(BTreeMap::new(), environment)];
        if self.claims.trackers.is_empty() {
            return Ok(choices);
        }
        let mut touched = listed.clone();
        match node.point {
            Point::At(location) => {
                for &edge in &automaton.locations[location as usize].edges {
                    self.collect_globals(&automaton.edge(edge).action, &mut touched);
                }
            }
            Point::Inside { edge, .. } => {
                self.collect_globals(&automaton.edges[edge as usize].action, &mut touched)
            }
        }
        for (index, tracker) in self.claims.trackers.iter().enumerate() {
            if !tracker.slots.iter().any(|slot| touched.contains(slot)) {
                continue;
            }
            Rule::Understood
                .demand(choices.len().saturating_mul(tracker.nodes.len()) <= MOST_CHOICES, || {
                    format!("{} has to do with too many nodes of trackers", automaton.name)
                })?;
            let mut next = Vec::new();
            for (chosen, environment) in choices {
                for (position, sets) in tracker.nodes.iter().enumerate() {
                    let mut narrowed = environment.clone();
                    let mut possible = true;
                    for (&slot, values) in tracker.slots.iter().zip(sets) {
                        let values = narrowed.get(Frame::Global, slot).intersection(values);
                        possible &= !values.is_empty();
                        narrowed.set(Frame::Global, slot, values);
                    }
                    if possible {
                        let mut chosen = chosen.clone();
                        chosen.insert(TrackerId(index as u32), NodeId(position as u32));
                        next.push((chosen, narrowed));
                    }
                }
            }
            choices = next;
        }
        Ok(choices)
    }

    /// The frame of a new process: arguments, then the initialisers in order, as the interpreter runs them.
    fn initial_frame(
        &self,
        id: GroupId,
        arguments: &[Values],
        from: &Environment<'a>,
    ) -> Result<Environment<'a>, Broken> {
        let group = &self.claims.groups[id.index()];
        let mut environment = Environment::new(&group.slots, &self.claims.globals, &group.pid);
        for (slot, values) in from.known(Frame::Global) {
            environment.set(Frame::Global, *slot, values.clone());
        }
        for slot in 0..group.slots.len() {
            let values = arguments.get(slot).cloned().unwrap_or_else(|| Values::integer(0));
            environment.set(Frame::Local, slot as u32, values);
        }
        let proctype = &self.system.model.proctypes[group.automaton as usize];
        for variable in proctype.locals.iter().filter(|variable| !variable.parameter) {
            self.initialise(id, variable, &mut environment)?;
        }
        for (slot, values) in environment.known(Frame::Local) {
            if !values.is_subset(&group.slots[*slot as usize]) {
                let what = format!("slot {slot} of group {} begins with {values:?}, not claimed", id.0);
                return Err(not_started(what));
            }
        }
        Ok(environment)
    }

    fn initialise(
        &self,
        id: GroupId,
        variable: &Variable,
        environment: &mut Environment<'a>,
    ) -> Result<(), Broken> {
        let length = variable.length.unwrap_or(1);
        let stride = variable.slots.checked_div(length).unwrap_or(0);
        for element in 0..length {
            let base = variable.slot.saturating_add(element.saturating_mul(stride));
            match (&variable.init, variable.ty) {
                (Initializer::None, Type::Scalar(_)) => {}
                (Initializer::None, Type::Struct(typedef)) => {
                    for field in &self.system.model.typedefs[typedef.0 as usize].fields {
                        let of_one = match field.ty {
                            Type::Scalar(_) => 1,
                            Type::Struct(inner) => self.system.model.typedefs[inner.0 as usize].slots,
                        };
                        let as_variable = Variable {
                            name: field.name.clone(),
                            span: field.span,
                            ty: field.ty,
                            length: field.length,
                            slot: base.saturating_add(field.offset),
                            slots: field.length.unwrap_or(1).saturating_mul(of_one),
                            init: field.init.clone(),
                            ..variable.clone()
                        };
                        self.initialise(id, &as_variable, environment)?;
                    }
                }
                (Initializer::Expr(value), _) => self.begin_with(id, base, Some(value), environment)?,
                (Initializer::List(list), _) => {
                    self.begin_with(id, base, list.get(element as usize).or(list.last()), environment)?;
                }
                (Initializer::Channel(_), _) => {
                    let place = ObjectPlace::Local { group: id, slot: base };
                    let object = self
                        .object_at(place)
                        .ok_or_else(|| not_started("it creates a channel that no object stands for"))?;
                    environment.set(Frame::Local, base, Values::channel(object));
                }
            }
        }
        Ok(())
    }

    fn begin_with(
        &self,
        id: GroupId,
        slot: u32,
        value: Option<&Expr>,
        environment: &mut Environment<'a>,
    ) -> Result<(), Broken> {
        if let Some(value) = value {
            let evaluator = Evaluator { system: self.system, claims: self.claims };
            let scalar = self.automaton(id).slots[slot as usize].scalar;
            let values = truncate(self.system, scalar, &evaluator.evaluate(environment, value)?)?;
            environment.set(Frame::Local, slot, values);
        }
        Ok(())
    }

    /// Global slots that an action may read or write.
    fn collect_globals(&self, action: &Action, slots: &mut BTreeSet<u32>) {
        let mut visit = |expr: &Expr| self.collect_globals_of(expr, slots);
        match action {
            Action::Condition(e) | Action::Assert(e) | Action::Printm(e) => visit(e),
            Action::Assign { place, value } => {
                visit(value);
                self.collect_globals_of_place(place, slots);
            }
            Action::Send { channel, arguments, .. } => {
                arguments.iter().for_each(&mut visit);
                self.collect_globals_of_place(&channel.place, slots);
            }
            Action::Receive { channel, arguments, .. } => {
                for argument in arguments {
                    match argument {
                        ReceiveArgument::Match(e) => self.collect_globals_of(e, slots),
                        ReceiveArgument::Store(place) => self.collect_globals_of_place(place, slots),
                        ReceiveArgument::Discard(_) => {}
                    }
                }
                self.collect_globals_of_place(&channel.place, slots);
            }
            Action::DStep(body) => {
                for choice in body.nodes.iter().flat_map(|node| &node.choices) {
                    self.collect_globals(&choice.action, slots);
                }
            }
            Action::Skip
            | Action::Else
            | Action::End
            | Action::Printf { .. }
            | Action::SetPriority { .. } => {}
        }
    }

    fn collect_globals_of(&self, expr: &Expr, slots: &mut BTreeSet<u32>) {
        match &expr.kind {
            ExprKind::Read(place) => self.collect_globals_of_place(place, slots),
            ExprKind::Unary(_, a) => self.collect_globals_of(a, slots),
            ExprKind::Binary(_, a, b) => {
                self.collect_globals_of(a, slots);
                self.collect_globals_of(b, slots);
            }
            ExprKind::Conditional(a, b, c) => {
                for e in [a, b, c] {
                    self.collect_globals_of(e, slots);
                }
            }
            ExprKind::Run { proctype, arguments, .. } => {
                arguments.iter().for_each(|e| self.collect_globals_of(e, slots));
                for variable in &self.system.model.proctypes[proctype.0 as usize].locals {
                    if let Initializer::Expr(e) = &variable.init {
                        self.collect_globals_of(e, slots);
                    }
                }
            }
            _ => {}
        }
    }

    fn collect_globals_of_place(&self, place: &Place, slots: &mut BTreeSet<u32>) {
        place.indices.iter().for_each(|index| self.collect_globals_of(&index.value, slots));
        if place.frame == Frame::Global {
            let variable = &self.system.model.globals[place.variable.0 as usize];
            match place.indices.as_slice() {
                [] => {
                    slots.insert(place.base);
                }
                _ => slots.extend((variable.slot..).take(variable.slots as usize)),
            }
        }
    }
}

/// R16 is broken, before it is known by which statement.
fn not_started(what: impl Into<String>) -> Broken {
    Broken { rule: Rule::Started, what: what.into() }
}

/// Splits an environment among nodes: each takes what those before it leave. All of it must be taken.
pub fn cover<'a>(
    nodes: &[Node],
    candidates: &[NodeId],
    environment: &Environment<'a>,
) -> Result<Vec<(NodeId, Environment<'a>)>, String> {
    let mut pieces = Vec::new();
    let mut rest = vec![environment.clone()];
    for &id in candidates {
        let node = &nodes[id.index()];
        let mut left = Vec::new();
        for part in rest {
            let mut inside = part.clone();
            if !(inside.narrow(Frame::Local, &node.locals) && inside.narrow(Frame::Global, &node.globals)) {
                left.push(part);
                continue;
            }
            // What is outside the node in one slot and inside in those before it.
            let mut remaining = part;
            for (frame, entry) in (node.locals.iter().map(|entry| (Frame::Local, entry)))
                .chain(node.globals.iter().map(|entry| (Frame::Global, entry)))
            {
                let have = remaining.get(frame, entry.slot);
                let outside = have.difference(&entry.values);
                if !outside.is_empty() {
                    let mut piece = remaining.clone();
                    piece.set(frame, entry.slot, outside);
                    left.push(piece);
                }
                remaining.set(frame, entry.slot, have.intersection(&entry.values));
            }
            pieces.push((id, inside));
        }
        rest = left;
        if rest.is_empty() {
            return Ok(pieces);
        }
        if rest.len() > 10_000 {
            return Err("too many pieces to cover with nodes".into());
        }
    }
    Err(match rest.first() {
        Some(part) => {
            let known: Vec<String> =
                part.known(Frame::Local).iter().map(|(slot, v)| format!("slot {slot} in {v:?}")).collect();
            let global: Vec<String> =
                part.known(Frame::Global).iter().map(|(slot, v)| format!("global {slot} in {v:?}")).collect();
            format!("no node covers [{}] [{}]", known.join(", "), global.join(", "))
        }
        None => "no node at the place".into(),
    })
}
