//! The processes that a system runs, where its text alone says which: those that start by themselves, and those that they start on a
//! way without a choice, one after the other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use system::automaton::AutomatonId;

use crate::values::analysis::Analysis;
use crate::values::flow::{Flow, PointId};
use crate::values::sets::Values;
use crate::values::step::{effects, starts_a_process};
use crate::values::world::{GroupIndex, View};

/// Processes that are followed.
const MOST_PROCESSES: usize = 4096;
/// Statements that are followed altogether.
const MOST_STATEMENTS: usize = 200_000;

/// How many processes of each group there are at the most; `None` if a choice, or a loop that does not end by itself, decides how many are
/// started.
pub(super) fn running(analysis: &Analysis<'_>) -> Option<BTreeMap<GroupIndex, u64>> {
    let mut counts: BTreeMap<GroupIndex, u64> = BTreeMap::new();
    let mut open: Vec<(GroupIndex, Vec<Values>)> = Vec::new();
    for &(group, _) in &analysis.initial {
        open.push((group, analysis.world.group(group).first.clone()));
    }
    let (mut processes, mut statements) = (0, 0);
    while let Some((group, locals)) = open.pop() {
        processes += 1;
        *counts.entry(group).or_default() += 1;
        if processes > MOST_PROCESSES {
            return None;
        }
        open.extend(started_by(analysis, group, locals, &mut statements)?);
    }
    Some(counts)
}

/// The processes that one process starts, with their first values.
fn started_by(
    analysis: &Analysis<'_>,
    group: GroupIndex,
    mut locals: Vec<Values>,
    statements: &mut usize,
) -> Option<Vec<(GroupIndex, Vec<Values>)>> {
    let data = analysis.world.group(group);
    let flow = &analysis.flows[data.automaton.0 as usize];
    let starting = points_before_a_start(flow);
    let mut point = flow.initial;
    let mut started = Vec::new();
    while starting.contains(&point) {
        *statements += 1;
        if *statements > MOST_STATEMENTS {
            return None;
        }
        let view = View {
            world: &analysis.world,
            pid: &data.pid,
            locals: Cow::Borrowed(&locals),
            known_globals: Vec::new(),
        };
        let mut possible = Vec::new();
        for arc in flow.arcs(point) {
            let found = effects(analysis.system, &view, arc).ok()?;
            if !found.is_empty() {
                possible.push((arc, found));
            }
        }
        // Nothing is possible: the process stands here for ever. Several things are: who decides?
        let Some((arc, found)) = possible.pop() else { break };
        if !possible.is_empty() {
            return None;
        }
        let [first, rest @ ..] = found.as_slice() else { return None };
        locals = first.locals.clone();
        for other in rest {
            // Which message is received, or whether a process is started, is not known.
            if other.run.is_some() || first.run.is_some() {
                return None;
            }
            for (own, theirs) in locals.iter_mut().zip(&other.locals) {
                own.join_with(theirs);
            }
        }
        if let Some((proctype, arguments)) = &first.run {
            let groups = analysis.groups_for(AutomatonId(proctype.0), arguments).ok()?;
            let [(key, _)] = groups.as_slice() else { return None };
            let index = *analysis.world.group_index.get(key)?;
            // Variables that begin with a parameter's value have that of any process of the group: never fewer values.
            let mut first_locals = analysis.world.group(index).first.clone();
            for (own, argument) in first_locals.iter_mut().zip(arguments) {
                *own = own.meet(argument);
            }
            started.push((index, first_locals));
        }
        match arc.target {
            Some(target) => point = target,
            None => break,
        }
    }
    Some(started)
}

/// Points from which a statement that starts a process can be reached.
fn points_before_a_start(flow: &Flow<'_>) -> BTreeSet<PointId> {
    let starts = |point: usize| flow.leaving[point].iter().any(|arc| starts_a_process(arc.action));
    let mut found: BTreeSet<PointId> =
        (0..flow.leaving.len()).filter(|&point| starts(point)).map(|point| PointId(point as u32)).collect();
    loop {
        let before = found.len();
        for (point, arcs) in flow.leaving.iter().enumerate() {
            if arcs.iter().filter_map(|arc| arc.target).any(|target| found.contains(&target)) {
                found.insert(PointId(point as u32));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
