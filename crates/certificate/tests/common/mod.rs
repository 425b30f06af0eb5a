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
use promela::diagnostic::Severity;
use promela::{IncludeLoader, Options};
use std::collections::{HashSet, VecDeque};
use system::automaton::{LocationId, System};
use system::interpreter::{Capacities, Interpreter, Step};

struct NoIncludes;

impl IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _included_from: &str) -> Result<(String, String), String> {
        Err(format!("{name} is not to be had"))
    }
}

/// Reads and lowers a text; it must be without errors.
pub fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
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
    Potential { messages, nodes, trackers: vec![] }
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
    Claims { objects, globals, groups, trackers: vec![], auxiliaries: vec![], bars: vec![] }
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
        interpreter.steps(&state, &mut steps).expect("no runtime error");
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
