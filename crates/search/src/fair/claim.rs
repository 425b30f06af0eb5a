//! Never claims and `accept…` labels as automata over numbered propositions, so that they can be asked under fairness and with counters.
//!
//! A claim moves once before each move of the system. It matches a run if it passes `accept…` labels again and again, or if it
//! comes to its end or to an assertion that fails: then it has matched whatever follows, so its end is a state that accepts
//! everything. Claims that do more than look (variables of their own, assignments) are refused. A process that stands at an
//! `accept…` label counts like the claim at one, with a claim or without: that is one more proposition.

use super::formula::Property;
use omega::{
    Automaton, Cube, Edge as OmegaEdge, Formula, MarkId, MarkSet, PropositionId, StateId, TypedIndex,
};
use promela::model::{BinaryOp, Expr, ExprKind, ProctypeId, RemoteProcess};
use system::automaton::{Action, Automaton as ClaimAutomaton, LocationId, System};

/// More alternatives than this within one `atomic` sequence of a claim are not written out.
const MOST_EDGES: usize = 10_000;

/// The automaton of a claim, and what its propositions are; the error says what it cannot express.
pub fn automaton_of_claim(system: &System, claim: usize) -> Result<(Property, Automaton), String> {
    let id = system.claims.get(claim).ok_or("there is no such never claim")?;
    let source = &system.automata[id.0 as usize];
    let mut reader = Reader { source, propositions: Vec::new() };
    let sink = StateId::from_position(source.locations.len());
    let accepting: MarkSet = [MarkId(0)].into_iter().collect();
    let mut edges = Vec::new();
    let for_ever = || OmegaEdge { target: sink, label: Cube::top(), marks: accepting.clone() };
    for (position, location) in source.locations.iter().enumerate() {
        if reader.is_end(LocationId(position as u32)) {
            edges.push(vec![for_ever()]);
            continue;
        }
        let marks = if location.accept { accepting.clone() } else { MarkSet::new() };
        let mut found = Vec::new();
        reader.moves(LocationId(position as u32), &Cube::top(), &mut found)?;
        let targets = found.into_iter().map(|(label, target)| OmegaEdge {
            target: target.map_or(sink, |location| StateId(location.0)),
            label,
            marks: marks.clone(),
        });
        edges.push(targets.collect::<Vec<_>>());
    }
    edges.push(vec![for_ever()]);
    if let Some(label) = stands_at_accept_label(system) {
        let position = reader.propositions.len();
        reader.propositions.push(label);
        let is_there = Cube::literal(PropositionId::from_position(position), true);
        for outgoing in &mut edges {
            let unmarked = outgoing.iter().filter(|edge| edge.marks != accepting);
            let marked = unmarked.filter_map(|edge| {
                Some(OmegaEdge {
                    label: edge.label.and(&is_there)?,
                    marks: accepting.clone(),
                    ..edge.clone()
                })
            });
            let marked: Vec<OmegaEdge> = marked.collect();
            outgoing.extend(marked);
        }
    }
    let initial = if reader.is_end(source.initial) { sink } else { StateId(source.initial.0) };
    let automaton = Automaton::new(initial, 1, edges).map_err(|error| error.to_string())?;
    Ok((Property { formula: Formula::True, propositions: reader.propositions }, automaton))
}

/// The automaton of the runs in which processes stand at `accept…` labels again and again; `None` if there are no such labels.
pub fn automaton_of_accept_labels(system: &System) -> Option<(Property, Automaton)> {
    let label = stands_at_accept_label(system)?;
    let edge = |label: Cube, marks: MarkSet| OmegaEdge { target: StateId(0), label, marks };
    let is_there = Cube::literal(PropositionId(0), true);
    let edges = vec![edge(is_there, [MarkId(0)].into_iter().collect()), edge(Cube::top(), MarkSet::new())];
    let automaton = Automaton::new(StateId(0), 1, vec![edges]).ok()?;
    Some((Property { formula: Formula::True, propositions: vec![label] }, automaton))
}

/// Some process stands at an `accept…` label; `None` if there are no such labels.
fn stands_at_accept_label(system: &System) -> Option<Expr> {
    let mut any: Option<Expr> = None;
    for (id, automaton) in system.process_automata() {
        let span = automaton.locations[automaton.initial.0 as usize].span;
        let labels = automaton.locations.iter().filter(|location| location.accept);
        for label in labels.flat_map(|location| &location.labels).filter(|label| label.starts_with("accept"))
        {
            let proctype = RemoteProcess::All(ProctypeId(id.0));
            let kind = ExprKind::RemoteLabel { proctype, pid: None, label: label.clone() };
            let one = Expr { kind, span };
            any = Some(match any {
                None => one,
                Some(others) => {
                    Expr { kind: ExprKind::Binary(BinaryOp::Or, Box::new(others), Box::new(one)), span }
                }
            });
        }
    }
    any
}

struct Reader<'s> {
    source: &'s ClaimAutomaton,
    propositions: Vec<Expr>,
}

/// Where a claim may go on a letter: to a location, or (`None`) to its end.
type Target = Option<LocationId>;

impl Reader<'_> {
    /// All moves from a location for letters of a cube, an `atomic` sequence being one.
    fn moves(
        &mut self,
        from: LocationId,
        here: &Cube,
        found: &mut Vec<(Cube, Target)>,
    ) -> Result<(), String> {
        if found.len() > MOST_EDGES {
            return Err("a never claim with too many alternatives".to_string());
        }
        let mut conditions: Vec<Cube> = Vec::new();
        let location = &self.source.locations[from.0 as usize];
        for id in &location.edges {
            let edge = &self.source.edges[id.0 as usize];
            if edge.escape != 0 {
                return Err("a never claim with `unless`".to_string());
            }
            let guards = match &edge.action {
                Action::Skip | Action::Printf { .. } => vec![Cube::top()],
                Action::Condition(expr) => self.truth(expr, true).into_iter().collect(),
                Action::Assert(expr) => {
                    let fails = self.truth(expr, false).and_then(|cube| here.and(&cube));
                    found.extend(fails.map(|cube| (cube, None)));
                    self.truth(expr, true).into_iter().collect()
                }
                Action::Else => none_of(&conditions),
                Action::End => return Err("a never claim that is not at its end there".to_string()),
                _ => return Err("a never claim that does more than look".to_string()),
            };
            conditions.extend(guards.iter().cloned());
            for guard in guards {
                let Some(label) = here.and(&guard) else { continue };
                if self.is_end(edge.target) {
                    found.push((label, None));
                } else if edge.atomic {
                    self.moves(edge.target, &label, found)?;
                } else {
                    found.push((label, Some(edge.target)));
                }
            }
        }
        Ok(())
    }

    fn is_end(&self, location: LocationId) -> bool {
        let edges = &self.source.locations[location.0 as usize].edges;
        edges.iter().any(|id| self.source.edges[id.0 as usize].action == Action::End)
    }

    /// The letters for which an expression is true, or false; nothing if there is none.
    fn truth(&mut self, expr: &Expr, value: bool) -> Option<Cube> {
        if let ExprKind::Constant { value: constant, .. } = expr.kind {
            return ((constant != 0) == value).then(Cube::top);
        }
        let known = self.propositions.iter().position(|other| other.kind == expr.kind);
        let position = known.unwrap_or_else(|| {
            self.propositions.push(expr.clone());
            self.propositions.len() - 1
        });
        Some(Cube::literal(PropositionId::from_position(position), value))
    }
}

/// The letters that satisfy none of the cubes, as cubes.
fn none_of(cubes: &[Cube]) -> Vec<Cube> {
    let mut rest = vec![Cube::top()];
    for cube in cubes {
        let opposites: Vec<Cube> = cube
            .literals()
            .into_iter()
            .map(|(proposition, positive)| Cube::literal(proposition, !positive))
            .collect();
        rest = rest
            .iter()
            .flat_map(|kept| opposites.iter().filter_map(|opposite| kept.and(opposite)).collect::<Vec<_>>())
            .collect();
    }
    rest
}
