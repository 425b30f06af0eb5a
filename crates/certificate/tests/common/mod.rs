//! What the tests share: reading models, and claims written by hand in few words.
#![allow(dead_code)]

use certificate::Certificate;
use certificate::check::{Refusal, Rule};
use certificate::claims::{
    Claims, ClassId, Group, GroupId, MessageClass, Node, NodeId, Object, ObjectId, ObjectPlace, Point,
    SlotValues,
};
use certificate::monitor::Monitor;
use certificate::potential::{BoundCase, MessageWeight, NodeWeight, Potential, Proof};
use certificate::values::Values;
use promela::Options;
use promela::diagnostic::Severity;
use promela::model::{Initializer, Scalar, Variable};
use std::collections::{HashSet, VecDeque};
use system::automaton::{Action, LocationId, System};
use system::interpreter::{Capacities, Interpreter, Step};

/// Reads and lowers a text; it must be without errors.
pub fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &promela::NoIncludes);
    let errors: Vec<_> = diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let (system, diagnostics) = system::lower::lower(model);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    system
}

/// The rule that a certificate breaks.
pub fn broken<T>(result: Result<T, Refusal>) -> Option<Rule> {
    result.err().and_then(|refusal| refusal.rule())
}

/// The automaton of a proctype by name.
pub fn automaton(system: &System, name: &str) -> u32 {
    system.automata.iter().position(|a| a.name == name).expect("the proctype exists") as u32
}

/// Locations and edges, one a line, to write claims from.
pub fn print(system: &System) -> String {
    let mut text = String::new();
    for automaton in &system.automata {
        text += &format!(
            "{} initial {} slots {:?}\n",
            automaton.name,
            automaton.initial.0,
            automaton.slots.iter().map(|s| s.name.clone()).collect::<Vec<_>>()
        );
        for (id, edge) in automaton.edges.iter().enumerate() {
            text += &format!(
                "  e{id}: {} -> {} {} atomic {} dead {:?}\n",
                edge.source.0, edge.target.0, edge.text, edge.atomic, edge.dead
            );
        }
    }
    text
}

/// A set of integers.
pub fn set(values: &[i32]) -> Values {
    Values::integers(values.iter().copied())
}

/// A node that lists nothing.
pub fn at(location: u32) -> Node {
    Node { point: Point::At(location), locals: vec![], globals: vec![], shadows: vec![] }
}

/// A node that lists one local slot.
pub fn at_with(location: u32, slot: u32, values: &[i32]) -> Node {
    Node { locals: vec![SlotValues { slot, values: set(values) }], ..at(location) }
}

/// A group with one node for each location, in their order, and nothing known of it but these sets.
pub fn plain_group(
    system: &System,
    name: &str,
    at_most: Option<u32>,
    pid: Values,
    slots: Vec<Values>,
) -> Group {
    let index = automaton(system, name);
    let locations = system.automata[index as usize].locations.len() as u32;
    Group { automaton: index, at_most, pid, slots, shadows: vec![], nodes: (0..locations).map(at).collect() }
}

/// Pids of what `run` starts.
pub fn any_pid() -> Values {
    Values::interval(1, 254)
}

/// The channel of a global slot with classes of messages with one field.
pub fn global_channel(slot: u32, classes: &[&[i32]]) -> Object {
    let classes = classes.iter().map(|values| MessageClass { fields: vec![set(values)] }).collect();
    Object { place: ObjectPlace::Global { slot }, classes }
}

/// The value of a symbolic name.
pub fn symbol(system: &System, name: &str) -> i32 {
    let names = system.model.mtype_sets.iter().flat_map(|set| &set.names);
    names.into_iter().find(|(n, ..)| n == name).expect("the name exists").1
}

/// A potential from (object, class, weight) and (group, node, weight), zeros left out.
pub fn potential(messages: &[(u32, u32, i64)], nodes: &[(u32, u32, i64)]) -> Potential {
    let mut messages: Vec<MessageWeight> = messages
        .iter()
        .filter(|m| m.2 != 0)
        .map(|&(object, class, weight)| MessageWeight {
            object: ObjectId(object),
            class: ClassId(class),
            weight,
        })
        .collect();
    let mut nodes: Vec<NodeWeight> = nodes
        .iter()
        .filter(|n| n.2 != 0)
        .map(|&(group, node, weight)| NodeWeight { group: GroupId(group), node: NodeId(node), weight })
        .collect();
    messages.sort();
    nodes.sort();
    Potential { messages, nodes, ..Potential::default() }
}

/// A bound by one potential.
pub fn bound(object: u32, at_most: u64, potential: Potential) -> Proof {
    Proof::Bound {
        object: ObjectId(object),
        at_most,
        cases: vec![BoundCase { after: None, denominator: 1, potential }],
    }
}

/// The location to which the edge with this text leads.
pub fn after(system: &System, name: &str, text: &str) -> LocationId {
    let automaton = &system.automata[automaton(system, name) as usize];
    automaton.edges.iter().find(|e| e.text.contains(text)).expect("the statement exists").target
}

/// The location at which the edge with this text begins.
pub fn before(system: &System, name: &str, text: &str) -> LocationId {
    let automaton = &system.automata[automaton(system, name) as usize];
    automaton.edges.iter().find(|e| e.text.contains(text)).expect("the statement exists").source
}

/// No claims about anything but the channels and groups given.
pub fn claims(objects: Vec<Object>, globals: Vec<Values>, groups: Vec<Group>) -> Claims {
    Claims { objects, globals, groups, ..Claims::default() }
}

/// Explores every state with unbounded buffers, with a monitor on a path to each; the number of states.
pub fn watch_all_states(system: &System, certificate: &Certificate, most: usize) -> usize {
    let interpreter = Interpreter::new(system, Capacities::Unbounded);
    let initial = interpreter.initial_state().expect("an initial state");
    let mut seen = HashSet::from([initial.clone()]);
    let mut open = VecDeque::from([vec![initial]]);
    while let Some(path) = open.pop_front() {
        let mut monitor = Monitor::new(system, certificate);
        for state in &path {
            assert_eq!(monitor.observe(state), Ok(()));
        }
        let last = path.last().expect("a path has a state");
        let mut steps = Vec::new();
        interpreter.steps(last, &mut steps).expect("no runtime error");
        for step in steps {
            let mut next = last.clone();
            interpreter.execute(&mut next, step, &(), &mut ()).expect("no runtime error");
            if seen.insert(next.clone()) {
                assert!(seen.len() <= most, "more than {most} states");
                open.push_back([path.clone(), vec![next]].concat());
            }
        }
    }
    seen.len()
}

/// Steps chosen by what they do: each text must be part of the text of an enabled step's edge, `P:text` of one of process P.
pub fn steps_named(system: &System, capacities: Capacities, names: &[&str]) -> Vec<Step> {
    let interpreter = Interpreter::new(system, capacities);
    let mut state = interpreter.initial_state().expect("an initial state");
    let mut chosen = Vec::new();
    for name in names {
        let (process, text) = name.split_once(": ").expect("process: statement");
        let mut steps = Vec::new();
        interpreter.steps_beside_errors(&state, &mut steps);
        let fits = |step: &&Step| {
            let automaton = system.automaton(state.processes[step.process.0 as usize].automaton);
            automaton.name == process && automaton.edge(step.edge).text.contains(text)
        };
        let step = *steps.iter().find(fits).unwrap_or_else(|| panic!("{name} is not enabled"));
        interpreter.execute(&mut state, step, &(), &mut ()).expect("no runtime error");
        chosen.push(step);
    }
    chosen
}

/// The channel of an object.
pub fn channel(object: u32) -> Values {
    Values::channel(ObjectId(object))
}

/// Whether the node is at the location.
pub fn is_at(node: &Node, location: u32) -> bool {
    node.point == Point::At(location)
}

/// The one value that the node lists for a global slot.
pub fn listed(node: &Node, slot: u32) -> Option<i32> {
    let entry = node.globals.iter().find(|entry| entry.slot == slot)?;
    entry.values.single_integer()
}

/// A certificate in the making. At first it claims nothing: every number may be anything of its type, every channel variable any channel,
/// every process anywhere. Global channels come first among the objects, then those of each group.
pub struct Draft {
    /// The model.
    pub system: System,
    /// The claims, for a test to spoil.
    pub claims: Claims,
    /// The reading.
    pub capacities: certificate::verdict::Capacities,
}

impl Draft {
    /// Claims nothing of this model.
    pub fn of(text: &str) -> Draft {
        let system = system(text);
        let model = &system.model;
        let mut first = 0;
        let mut groups = Vec::new();
        for (index, proctype) in (0..).zip(&model.proctypes) {
            let (at_most, pid) = match proctype.active {
                0 => (None, any_pid()),
                count => (Some(count), Values::interval(first, first + count as i32 - 1)),
            };
            first += proctype.active as i32;
            let automaton = &system.automata[index];
            let inside = (0..).zip(&automaton.edges).flat_map(|(edge, statement)| {
                let steps = match &statement.action {
                    Action::DStep(body) => body.nodes.len() as u32,
                    _ => 0,
                };
                (1..steps).map(move |step| Node { point: Point::Inside { edge, step }, ..at(0) })
            });
            let nodes = (0..automaton.locations.len() as u32).map(at).chain(inside).collect();
            groups.push(Group {
                automaton: index as u32,
                at_most,
                pid,
                slots: vec![],
                shadows: vec![],
                nodes,
            });
        }
        let is_new = |variable: &&Variable| matches!(variable.init, Initializer::Channel(_));
        let globals = model.globals.iter().filter(is_new).map(|v| (ObjectPlace::Global { slot: v.slot }, v));
        let locals = (0..).map(GroupId).zip(&model.proctypes).flat_map(|(group, proctype)| {
            let own = proctype.locals.iter().filter(is_new);
            own.map(move |v| (ObjectPlace::Local { group, slot: v.slot }, v))
        });
        let places: Vec<(ObjectPlace, &Variable)> = globals.chain(locals).collect();
        let channels = (0..places.len() as u32).map(channel);
        let any_channel = channels.fold(Values::integer(0), |all, one| all.union(&one));
        let any = |scalar: Scalar| match scalar {
            Scalar::Chan => any_channel.clone(),
            other => Values::interval(other.range().0, other.range().1),
        };
        let objects = places.iter().map(|(place, variable)| {
            let Initializer::Channel(id) = variable.init else { unreachable!("filtered") };
            let fields = &model.channel_types[id.0 as usize].fields;
            let class = MessageClass { fields: fields.iter().map(|field| any(field.scalar)).collect() };
            Object { place: *place, classes: vec![class] }
        });
        let objects = objects.collect();
        let mut claims = claims(objects, system.global_slots.iter().map(|s| any(s.scalar)).collect(), groups);
        for group in &mut claims.groups {
            let slots = &system.automata[group.automaton as usize].slots;
            group.slots = slots.iter().map(|slot| any(slot.scalar)).collect();
        }
        for (number, (place, _)) in (0..).zip(&places) {
            match place {
                ObjectPlace::Global { slot } => claims.globals[*slot as usize] = channel(number),
                ObjectPlace::Local { group, slot } => {
                    claims.groups[group.index()].slots[*slot as usize] = channel(number)
                }
            }
        }
        Draft { claims, capacities: certificate::verdict::Capacities::Any, system }
    }

    /// The group of a proctype.
    pub fn group(&mut self, name: &str) -> &mut Group {
        let index = automaton(&self.system, name);
        self.claims.groups.iter_mut().find(|group| group.automaton == index).expect("the group exists")
    }

    /// The number of the group of a proctype.
    pub fn id(&self, name: &str) -> GroupId {
        let index = automaton(&self.system, name);
        let position = self.claims.groups.iter().position(|group| group.automaton == index);
        GroupId(position.expect("the group exists") as u32)
    }

    /// The slot of a global variable.
    pub fn slot(&self, name: &str) -> u32 {
        self.system.global_slots.iter().position(|slot| slot.name == name).expect("the variable exists")
            as u32
    }

    /// What a global variable may be.
    pub fn claim(mut self, name: &str, values: &[i32]) -> Draft {
        let slot = self.slot(name);
        self.claims.globals[slot as usize] = set(values);
        self
    }

    /// What the first local variable of a process may be.
    pub fn claim_local(mut self, proctype: &str, values: &[i32]) -> Draft {
        self.group(proctype).slots[0] = set(values);
        self
    }

    /// The classes of messages with one field of an object.
    pub fn classes(mut self, object: usize, classes: &[&[i32]]) -> Draft {
        let class = |values: &&[i32]| MessageClass { fields: vec![set(values)] };
        self.claims.objects[object].classes = classes.iter().map(class).collect();
        self
    }

    /// The nodes of a proctype list one global variable: one node for each of the values.
    pub fn listing(mut self, proctype: &str, name: &str, values: &[i32]) -> Draft {
        let slot = self.slot(name);
        let group = self.group(proctype);
        let with = |node: &Node, value: i32| {
            let mut node = node.clone();
            node.globals.push(SlotValues { slot, values: set(&[value]) });
            node
        };
        group.nodes =
            group.nodes.iter().flat_map(|node| values.iter().map(move |&value| with(node, value))).collect();
        self
    }

    /// No process of the proctype ever stands before the statement.
    pub fn never(mut self, proctype: &str, text: &str) -> Draft {
        let location = before(&self.system, proctype, text).0;
        self.group(proctype).nodes.retain(|node| !is_at(node, location));
        self
    }

    /// No process of the proctype ever leaves the place where it begins.
    pub fn stuck(mut self, proctype: &str) -> Draft {
        let initial = self.system.automata[automaton(&self.system, proctype) as usize].initial.0;
        self.group(proctype).nodes.retain(|node| is_at(node, initial));
        self
    }

    /// The claims after some other change.
    pub fn with(mut self, change: impl FnOnce(&mut Claims)) -> Draft {
        change(&mut self.claims);
        self
    }

    /// A potential: (object, class, weight), and what a process of a proctype in a node weighs.
    pub fn weigh(&self, messages: &[(u32, u32, i64)], weight: impl Fn(&str, &Node) -> i64) -> Potential {
        let mut nodes = Vec::new();
        for (id, group) in (0..).zip(&self.claims.groups) {
            let name = &self.system.automata[group.automaton as usize].name;
            nodes.extend((0..).zip(&group.nodes).map(|(node, at)| (id, node, weight(name, at))));
        }
        potential(messages, &nodes)
    }

    /// "The buffer is always empty", because all its messages weigh something and nothing else does.
    pub fn empty(&self, object: u32) -> Vec<Proof> {
        let classes = self.claims.objects[object as usize].classes.len() as u32;
        let messages: Vec<_> = (0..classes).map(|class| (object, class, 1)).collect();
        vec![bound(object, 0, potential(&messages, &[]))]
    }

    /// The rule by which the certificate with these proofs is refused; `None` if it is accepted.
    pub fn refused(&self, proofs: Vec<Proof>) -> Option<Rule> {
        let certificate = Certificate::new(&self.system, self.capacities, self.claims.clone(), proofs);
        broken(certificate::check::check(&self.system, &certificate))
    }
}
