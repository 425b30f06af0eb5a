//! The papers' checks: integer programs over cycles, spurious counterexamples, refinement by dependencies (Ciclo, sections IV, V, VII).
//!
//! All programs are homogeneous, so a rational solution scales to one in integers and the rational program decides.

use std::collections::BTreeSet;

use linear::{Bounds, Limits, Outcome, Problem, Relation, VariableId, solve};

use system::automaton::{AutomatonId, EdgeId};

use super::dependency::{Cause, Dependency, Finder, Strategy};
use super::{ArcId, Catalogue, Counts, Cycle, CycleId, WorldValues};

/// What is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Is every buffer bounded?
    Boundedness,
    /// Is there progress again and again?
    Livelock,
}

/// The verdict of the papers' check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CycleVerdict {
    /// BOUNDED, or LIVELOCK-FREE.
    Holds,
    /// A counterexample that no dependency shows to be spurious: cycles with how often each is taken.
    Counterexample(Vec<(CycleId, u64)>),
    /// The check does not apply or did not end, for this reason.
    Undecided(String),
}

/// How far the refinement goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckLimits {
    /// Programs that may be solved.
    pub programs: usize,
}

impl Default for CheckLimits {
    fn default() -> CheckLimits {
        CheckLimits { programs: 500 }
    }
}

/// The figures of the papers' tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouteReport {
    /// What came out.
    pub verdict: CycleVerdict,
    /// Programs that were solved.
    pub programs: usize,
    /// Counterexamples that were found.
    pub counterexamples: usize,
    /// Those of them that a dependency showed to be spurious.
    pub spurious: usize,
    /// The cycles of all counterexamples together.
    pub analysed_cycles: usize,
    /// The statements of those.
    pub analysed_statements: usize,
    /// The dependencies that the programs were refined by.
    pub used: Vec<Dependency>,
}

/// Runs the check.
pub fn check(
    catalogue: &Catalogue,
    values: &WorldValues,
    question: Question,
    limits: CheckLimits,
    cancelled: &dyn Fn() -> bool,
) -> RouteReport {
    let mut report = RouteReport {
        verdict: CycleVerdict::Holds,
        programs: 0,
        counterexamples: 0,
        spurious: 0,
        analysed_cycles: 0,
        analysed_statements: 0,
        used: Vec::new(),
    };
    if let Some(missing) = catalogue.missing() {
        report.verdict = CycleVerdict::Undecided(missing);
        return report;
    }
    // Only cycles of counterexamples are asked for what they depend on (Ciclo, section VII).
    let finder = Finder::new(catalogue, values, &[Strategy::Improved, Strategy::Preemptive]);
    let mut open = vec![Restrictions::default()];
    while let Some(mut restrictions) = open.pop() {
        loop {
            if report.programs >= limits.programs || cancelled() {
                report.verdict = CycleVerdict::Undecided(format!("{} programs were solved", report.programs));
                return report;
            }
            report.programs += 1;
            let solution = match find(catalogue, question, &restrictions, cancelled) {
                Found::Combination(solution) => solution,
                Found::None => break,
                Found::Stopped => {
                    report.verdict =
                        CycleVerdict::Undecided(format!("{} programs were solved", report.programs - 1));
                    return report;
                }
            };
            report.counterexamples += 1;
            let cycles: BTreeSet<CycleId> = solution.iter().map(|(c, _)| *c).collect();
            report.analysed_cycles += cycles.len();
            report.analysed_statements +=
                cycles.iter().map(|&c| catalogue.cycle(c).arcs.len()).sum::<usize>();
            let found: Vec<Dependency> = cycles.iter().flat_map(|&cycle| finder.of(cycle)).collect();
            let refutes = |d: &&Dependency| {
                cycles.contains(&d.cycle)
                    && d.on.is_disjoint(&cycles)
                    && (d.rounds.is_some() || question == Question::Livelock)
            };
            // A dependency with a number costs one row; one without costs a second program.
            let chosen = found.iter().filter(refutes).min_by_key(|d| (d.rounds.is_none(), d.on.len()));
            // A combination may have the cycles that are needed and yet too few rounds of them (38): no dependency shows the set of its
            // cycles to be spurious, and still the next program is without it.
            let outnumbered = || found.iter().find(|d| restrictions.exclude(d, &solution));
            let Some(dependency) = chosen.or_else(outnumbered) else {
                report.verdict = CycleVerdict::Counterexample(solution);
                return report;
            };
            report.spurious += usize::from(chosen.is_some());
            report.used.push(dependency.clone());
            // What holds for one process holds for all that run the same text, each for itself: one refinement for a cycle of the
            // proctype, as the papers count.
            let kind = kind_of(catalogue, dependency);
            let twins: Vec<Dependency> = same_statements(catalogue, dependency.cycle)
                .flat_map(|cycle| finder.of(cycle))
                .filter(|d| kind_of(catalogue, d) == kind)
                .collect();
            if dependency.rounds.is_some() {
                let numbered = twins.iter().filter_map(|d| Some((d.rounds?, d.cycle, d.on.clone())));
                restrictions.numerical.extend(numbered);
                continue;
            }
            // Either c is not repeated for ever (52), or it is and so is one of S (53, 54).
            let mut repeated = BTreeSet::from([dependency.cycle]);
            let mut helped = dependency.on.clone();
            let all_on: BTreeSet<CycleId> = twins.iter().flat_map(|d| d.on.iter().copied()).collect();
            if all_on.is_disjoint(&cycles) {
                repeated.extend(twins.iter().map(|d| d.cycle));
                helped = all_on;
            }
            if !helped.is_empty() {
                let mut both = restrictions.clone();
                both.positive.push(repeated.clone());
                both.positive.push(helped);
                open.push(both);
            }
            restrictions.zero.extend(repeated);
        }
    }
    report
}

/// The cycles of all processes of a proctype that are the same statements.
fn same_statements(catalogue: &Catalogue, id: CycleId) -> impl Iterator<Item = CycleId> {
    let text = |cycle: &Cycle| -> (AutomatonId, Vec<EdgeId>) {
        let edge = |&arc: &ArcId| catalogue.arc(cycle.process, arc).edge;
        (catalogue.processes[cycle.process].automaton, cycle.arcs.iter().map(edge).collect())
    };
    let own = text(catalogue.cycle(id));
    let same = move |(_, other): &(CycleId, &Cycle)| other.arcs.len() == own.1.len() && text(other) == own;
    catalogue.cycle_ids().filter(same).map(|(id, _)| id)
}

/// What makes two dependencies the same but for the process that they are about: the proctype, the statements of the cycle, and why.
fn kind_of(
    catalogue: &Catalogue,
    dependency: &Dependency,
) -> (AutomatonId, Vec<EdgeId>, Vec<EdgeId>, Option<Strategy>) {
    let cycle = catalogue.cycle(dependency.cycle);
    let edge = |arc: ArcId| catalogue.arc(cycle.process, arc).edge;
    let (why, strategy) = match dependency.cause {
        Cause::Neighbours { condition } => (vec![edge(condition)], None),
        Cause::Condition { condition, strategy, .. } => (vec![edge(condition)], Some(strategy)),
        Cause::Receive { receive } => (vec![edge(receive)], None),
        Cause::Message { receive, condition } => (vec![edge(receive), edge(condition)], None),
    };
    let edges = cycle.arcs.iter().map(|&arc| edge(arc)).collect();
    (catalogue.processes[cycle.process].automaton, edges, why, strategy)
}

#[derive(Clone, Default)]
struct Restrictions {
    /// `(n, c, S)`: x_c <= n times the sum of x_S (inequality 38).
    numerical: Vec<(u64, CycleId, BTreeSet<CycleId>)>,
    /// Cycles that are not repeated for ever.
    zero: BTreeSet<CycleId>,
    /// Sets of cycles of which one is.
    positive: Vec<BTreeSet<CycleId>>,
}

impl Restrictions {
    /// Whether a dependency with a number, none of these yet, rules out a combination: there are too few rounds of what is needed.
    fn exclude(&self, dependency: &Dependency, solution: &[(CycleId, u64)]) -> bool {
        let Some(rounds) = dependency.rounds else { return false };
        let is_known = |(n, c, on): &(u64, CycleId, BTreeSet<CycleId>)| {
            (*n, *c) == (rounds, dependency.cycle) && *on == dependency.on
        };
        let times = |is_meant: &dyn Fn(CycleId) -> bool| -> u128 {
            solution.iter().filter(|(c, _)| is_meant(*c)).map(|(_, n)| u128::from(*n)).sum()
        };
        let allowed = u128::from(rounds).saturating_mul(times(&|c| dependency.on.contains(&c)));
        times(&|c| c == dependency.cycle) > allowed && !self.numerical.iter().any(is_known)
    }
}

/// What a program has for a solution.
enum Found {
    /// Cycles with how often each is taken.
    Combination(Vec<(CycleId, u64)>),
    /// None.
    None,
    /// Nobody waited for it.
    Stopped,
}

/// A combination of cycles that takes no more messages than it puts and answers the question with no.
fn find(
    catalogue: &Catalogue,
    question: Question,
    restrictions: &Restrictions,
    cancelled: &dyn Fn() -> bool,
) -> Found {
    let mut problem = Problem::new();
    let mut columns: Vec<(CycleId, usize, VariableId)> = Vec::new();
    for (id, cycle) in catalogue.cycle_ids() {
        let excluded = restrictions.zero.contains(&id) || (question == Question::Livelock && cycle.progress);
        for effect in 0..cycle.effects.len() {
            let bounds = if excluded { Bounds::fixed(0) } else { Bounds::non_negative() };
            columns.push((id, effect, problem.add_variable(bounds)));
        }
    }
    let mut growth: Vec<(VariableId, i64)> = Vec::new();
    for (index, message_type) in catalogue.message_types.iter().enumerate() {
        let terms: Vec<(VariableId, i64)> = columns
            .iter()
            .filter_map(|&(cycle, effect, variable)| {
                let effects = &catalogue.cycle(cycle).effects[effect];
                let found = effects.iter().find(|(t, _)| t.0 as usize == index)?;
                Some((variable, found.1))
            })
            .collect();
        match message_type.counts {
            Counts::Meetings => problem.add_constraint(terms, Relation::Equal, 0),
            Counts::Messages => {
                growth.extend(&terms);
                problem.add_constraint(terms, Relation::AtLeast, 0)
            }
            Counts::Processes(_) => problem.add_constraint(terms, Relation::AtLeast, 0),
        };
    }
    match question {
        Question::Boundedness => {
            let mut sums: std::collections::BTreeMap<VariableId, i64> = Default::default();
            for (variable, n) in growth {
                *sums.entry(variable).or_default() += n;
            }
            problem.add_constraint(sums.into_iter().collect::<Vec<_>>(), Relation::AtLeast, 1);
        }
        Question::Livelock => {
            let all: Vec<(VariableId, i64)> = columns.iter().map(|c| (c.2, 1)).collect();
            problem.add_constraint(all, Relation::AtLeast, 1);
        }
    }
    let of = |cycles: &BTreeSet<CycleId>, factor: i64| -> Vec<(VariableId, i64)> {
        columns.iter().filter(|c| cycles.contains(&c.0)).map(|c| (c.2, factor)).collect()
    };
    for (rounds, cycle, on) in &restrictions.numerical {
        let rounds = i64::try_from(*rounds).unwrap_or(i64::MAX);
        let mut terms = of(&BTreeSet::from([*cycle]), 1);
        terms.extend(of(on, -rounds));
        problem.add_constraint(terms, Relation::AtMost, 0);
    }
    for set in &restrictions.positive {
        problem.add_constraint(of(set, 1), Relation::AtLeast, 1);
    }
    let solution = match solve(&problem, &Limits { cancelled, ..Limits::none() }) {
        Outcome::Optimal(optimum) => optimum.values,
        Outcome::Unbounded(ray) => ray.point,
        Outcome::Infeasible(_) => return Found::None,
        Outcome::Stopped(_) => return Found::Stopped,
    };
    let values: Vec<_> = columns.iter().map(|c| solution[c.2.index()].clone()).collect();
    let whole = linear::to_small_integers(&values).unwrap_or_else(|| vec![1; values.len()]);
    let mut times: std::collections::BTreeMap<CycleId, u64> = Default::default();
    for ((column, &n), value) in columns.iter().zip(&whole).zip(&values) {
        if *value > 0.into() {
            *times.entry(column.0).or_default() += n.unsigned_abs();
        }
    }
    Found::Combination(times.into_iter().collect())
}
