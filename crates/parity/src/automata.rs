//! Control flow compared with SPIN's: state numbers, edges in the order in which they are tried, `atomic`, labels.

use crate::spin::Workplace;
use std::collections::{BTreeMap, HashMap, HashSet};
use system::automaton::{Action, Automaton, AutomatonKind, System};

/// An edge of SPIN's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpinEdge {
    /// State number before it.
    pub source: u32,
    /// State number after it; 0 for the closing brace.
    pub target: u32,
    /// Unique within the model; what a trail names.
    pub id: u32,
    /// Control stays exclusive.
    pub atomic: bool,
    /// Comes from an `unless`.
    pub escape: bool,
    /// As SPIN prints the statement.
    pub text: String,
}

/// Labels of a state in SPIN's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SpinMarks {
    /// `end…` or the closing brace.
    pub end: bool,
    /// `progress…`
    pub progress: bool,
    /// `accept…`
    pub accept: bool,
}

/// One automaton of SPIN's table.
#[derive(Clone, Debug, Default)]
pub struct SpinAutomaton {
    /// As SPIN prints it.
    pub name: String,
    /// Edges of each state, in the order in which they are tried.
    pub edges: BTreeMap<u32, Vec<SpinEdge>>,
    /// Labels of each state that has edges.
    pub marks: BTreeMap<u32, SpinMarks>,
    /// The first state that SPIN printed.
    pub first: Option<u32>,
}

/// Reads `pan -d`; what is atomic is known exactly only from the table's source, `pan.t`.
pub fn spin_automata(workplace: &Workplace, binary: &str) -> Result<Vec<SpinAutomaton>, String> {
    let run = workplace.run(binary, &["-d"], 20).map_err(|e| e.to_string())?;
    let table = std::fs::read_to_string(workplace.folder().join("pan.t")).map_err(|e| e.to_string())?;
    Ok(parse(&run.output, &atomic_flags(&table)))
}

/// How SPIN's table calls `trace` and `notrace`: it has the two the wrong way round, so they are not told apart here.
const EVENT_TRACE: &str = "trace assertion";

/// All differences, in words.
pub fn differences(system: &System, spin: &[SpinAutomaton]) -> Vec<String> {
    let mut out = Vec::new();
    for automaton in &system.automata {
        let name = match automaton.kind {
            AutomatonKind::EventTrace { .. } => EVENT_TRACE,
            _ => &automaton.name,
        };
        match spin.iter().find(|s| s.name == name) {
            Some(theirs) => compare(automaton, theirs, &mut out),
            None => out.push(format!("SPIN has no automaton `{}`", automaton.name)),
        }
    }
    out
}

fn atomic_flags(table: &str) -> HashMap<u32, bool> {
    let mut flags = HashMap::new();
    for part in table.split("settr(").skip(1) {
        let mut numbers = part.split(',').map(|n| n.trim().parse::<u32>());
        if let (Some(Ok(id)), Some(Ok(atom))) = (numbers.next(), numbers.next()) {
            flags.insert(id, atom & 2 != 0);
        }
    }
    flags
}

fn parse(output: &str, atomic: &HashMap<u32, bool>) -> Vec<SpinAutomaton> {
    let mut automata: Vec<SpinAutomaton> = Vec::new();
    for line in output.lines() {
        if let Some(name) = ["proctype ", "claim "].iter().find_map(|p| line.strip_prefix(p)) {
            automata.push(SpinAutomaton { name: name.trim().to_string(), ..SpinAutomaton::default() });
        } else if line.ends_with(EVENT_TRACE) {
            automata.push(SpinAutomaton { name: EVENT_TRACE.to_string(), ..SpinAutomaton::default() });
        } else if line.starts_with("init") {
            automata.push(SpinAutomaton { name: ":init:".to_string(), ..SpinAutomaton::default() });
        } else if let Some((edge, marks)) = parse_edge(line, atomic)
            && let Some(automaton) = automata.last_mut()
        {
            automaton.first.get_or_insert(edge.source);
            automaton.marks.insert(edge.source, marks);
            automaton.edges.entry(edge.source).or_default().push(edge);
        }
    }
    automata
}

/// `state 25 -(tr 12)-> state 24 [id 0 tp 503] [----G] m.pml:15 => sender?1`
fn parse_edge(line: &str, atomic: &HashMap<u32, bool>) -> Option<(SpinEdge, SpinMarks)> {
    let rest = line.trim().strip_prefix("state ")?;
    let (source, rest) = rest.split_once("-(tr")?;
    let (_, rest) = rest.split_once(")-> state ")?;
    let (target, rest) = rest.split_once("[id")?;
    let (inside, rest) = rest.split_once(']')?;
    let (_, rest) = rest.split_once('[')?;
    let (flags, rest) = rest.split_once(']')?;
    let (_, text) = rest.split_once("=> ")?;
    let id = inside.split_whitespace().next()?.parse().ok()?;
    let flags = flags.as_bytes();
    let marks = SpinMarks {
        accept: flags.get(1) == Some(&b'a'),
        end: flags.get(2) == Some(&b'e'),
        progress: flags.get(3) == Some(&b'p'),
    };
    let edge = SpinEdge {
        source: source.trim().parse().ok()?,
        target: target.trim().parse().ok()?,
        id,
        atomic: atomic.get(&id).copied().unwrap_or(false),
        escape: inside.contains(" org "),
        text: text.to_string(),
    };
    Some((edge, marks))
}

fn compare(ours: &Automaton, theirs: &SpinAutomaton, out: &mut Vec<String>) {
    let name = &ours.name;
    let reachable = reachable(theirs);
    let numbers: HashMap<u32, usize> =
        ours.locations.iter().enumerate().map(|(i, l)| (l.number, i)).collect();
    for number in &reachable {
        if !numbers.contains_key(number) && theirs.edges.contains_key(number) {
            out.push(format!("{name}: SPIN has a state {number}, we have not"));
        }
    }
    for location in &ours.locations {
        let number = location.number;
        if !reachable.contains(&number) {
            out.push(format!("{name}: we have a state {number}, SPIN cannot reach one"));
            continue;
        }
        let edges: Vec<_> = location.edges.iter().map(|&e| ours.edge(e)).collect();
        let their_edges = theirs.edges.get(&number).map_or(&[][..], |v| v);
        if edges.len() != their_edges.len() {
            let texts: Vec<&str> = their_edges.iter().map(|e| e.text.as_str()).collect();
            let our_texts: Vec<&str> = edges.iter().map(|e| e.text.as_str()).collect();
            out.push(format!("{name} {number}: edges {our_texts:?}, SPIN {texts:?}"));
            continue;
        }
        for (edge, other) in edges.iter().zip(their_edges) {
            let target =
                if matches!(edge.action, Action::End) { 0 } else { ours.location(edge.target).number };
            let what = (target, edge.atomic, edge.escape > 0);
            if what != (other.target, other.atomic, other.escape) {
                out.push(format!(
                    "{name} {number}: `{}` leads to {what:?} (state, atomic, escape), SPIN's `{}` to {:?}",
                    edge.text,
                    other.text,
                    (other.target, other.atomic, other.escape)
                ));
            }
        }
        let marks = SpinMarks { end: location.end, progress: location.progress, accept: location.accept };
        if let Some(other) = theirs.marks.get(&number)
            && marks != *other
        {
            out.push(format!("{name} {number}: {marks:?}, SPIN {other:?}"));
        }
    }
}

fn reachable(automaton: &SpinAutomaton) -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut work: Vec<u32> = automaton.first.into_iter().collect();
    while let Some(state) = work.pop() {
        if state != 0 && found.insert(state) {
            work.extend(automaton.edges.get(&state).into_iter().flatten().map(|e| e.target));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_state_table_is_taken_apart() {
        let line =
            "\tstate  24 -(tr  16)-> state  25  [id  12 tp 503 org   4] [A-e-G] m.pml:15 => sender?[2] -> 3";
        let (edge, marks) = parse_edge(line, &HashMap::from([(12, true)])).expect("an edge");
        let expected = SpinEdge {
            source: 24,
            target: 25,
            id: 12,
            atomic: true,
            escape: true,
            text: "sender?[2] -> 3".to_string(),
        };
        assert_eq!(edge, expected);
        assert_eq!(marks, SpinMarks { end: true, progress: false, accept: false });
    }
}
