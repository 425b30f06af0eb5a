//! Which variables a statement reads and modifies.

use std::collections::BTreeSet;

use promela::model::{Expr, Frame, Place, ReceiveArgument};
use system::automaton::Action;

use super::{Catalogue, CycleId};

/// A scalar of a frame.
pub(super) type Cell = (Frame, u32);

/// The cells that a place may mean, whatever its indices.
pub(super) fn cells_of(place: &Place) -> Vec<Cell> {
    let mut slots = vec![place.base];
    for index in &place.indices {
        slots =
            slots.iter().flat_map(|slot| (0..index.length).map(move |i| slot + i * index.stride)).collect();
    }
    slots.into_iter().map(|slot| (place.frame, slot)).collect()
}

/// Cells that an expression looks at.
pub(super) fn reads(expr: &Expr) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::new();
    expr.visit_places(&mut |place| cells.extend(cells_of(place)));
    cells
}

fn index_reads(place: &Place) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::new();
    let mut first = true;
    place.visit_places(&mut |inner| {
        if !std::mem::replace(&mut first, false) {
            cells.extend(cells_of(inner));
        }
    });
    cells
}

/// Cells that a statement may modify.
pub(super) fn modifies(action: &Action) -> BTreeSet<Cell> {
    match action {
        Action::Assign { place, .. } => cells_of(place).into_iter().collect(),
        Action::Receive { arguments, .. } => arguments
            .iter()
            .filter_map(|a| match a {
                ReceiveArgument::Store(place) => Some(cells_of(place)),
                _ => None,
            })
            .flatten()
            .collect(),
        _ => BTreeSet::new(),
    }
}

/// All cells that a statement looks at or modifies.
fn touches(action: &Action) -> BTreeSet<Cell> {
    let mut cells = modifies(action);
    match action {
        Action::Condition(e) | Action::Assert(e) | Action::Printm(e) => cells.extend(reads(e)),
        Action::Assign { place, value } => {
            cells.extend(index_reads(place));
            cells.extend(reads(value));
        }
        Action::Send { channel, arguments, .. } => {
            channel.place.visit_places(&mut |p| cells.extend(cells_of(p)));
            arguments.iter().for_each(|e| cells.extend(reads(e)));
        }
        Action::Receive { channel, arguments, .. } => {
            channel.place.visit_places(&mut |p| cells.extend(cells_of(p)));
            for argument in arguments {
                match argument {
                    ReceiveArgument::Match(e) => cells.extend(reads(e)),
                    ReceiveArgument::Store(place) => cells.extend(index_reads(place)),
                    ReceiveArgument::Discard(_) => {}
                }
            }
        }
        Action::Printf { arguments, .. } => arguments.iter().for_each(|e| cells.extend(reads(e))),
        Action::SetPriority { pid, priority } => {
            cells.extend(reads(pid));
            cells.extend(reads(priority));
        }
        Action::Skip | Action::Else | Action::End | Action::DStep(_) => {}
    }
    cells
}

/// Global cells that more than one process looks at or modifies: the others are as good as local.
pub(super) fn shared_globals(catalogue: &Catalogue) -> BTreeSet<u32> {
    let mut users: std::collections::BTreeMap<u32, BTreeSet<usize>> = Default::default();
    for (index, process) in catalogue.processes.iter().enumerate() {
        for arc in &process.arcs {
            for (frame, slot) in touches(&arc.action) {
                if frame == Frame::Global {
                    let entry = users.entry(slot).or_default();
                    entry.insert(index);
                    // Several processes of one kind are several.
                    if !process.single {
                        entry.insert(usize::MAX - index);
                    }
                }
            }
        }
    }
    users.into_iter().filter(|(_, users)| users.len() > 1).map(|(slot, _)| slot).collect()
}

/// The variables of which one must be modified to make the condition true again (the study's E_c(B); Ciclo's infl(b)): those in the
/// condition, and those that the cycle computes them from.
pub(super) fn influences(catalogue: &Catalogue, cycle: CycleId, condition: &Expr) -> BTreeSet<Cell> {
    let data = catalogue.cycle(cycle);
    let mut cells = reads(condition);
    loop {
        let before = cells.len();
        for &arc in &data.arcs {
            if let Action::Assign { place, value } = &catalogue.arc(data.process, arc).action
                && cells_of(place).iter().any(|c| cells.contains(c))
            {
                cells.extend(reads(value));
                cells.extend(index_reads(place));
            }
        }
        if cells.len() == before {
            return cells;
        }
    }
}

/// The cells that are globally modified in a cycle (definition 2 of the study, definition 4 of Ciclo).
pub(super) fn globally_modified(
    catalogue: &Catalogue,
    cycle: CycleId,
    shared: &BTreeSet<u32>,
) -> BTreeSet<Cell> {
    let data = catalogue.cycle(cycle);
    let actions: Vec<&Action> = data.arcs.iter().map(|&a| &catalogue.arc(data.process, a).action).collect();
    let mut cells: BTreeSet<Cell> = shared.iter().map(|&slot| (Frame::Global, slot)).collect();
    for action in &actions {
        if matches!(action, Action::Receive { .. }) {
            cells.extend(modifies(action));
        }
    }
    loop {
        let before = cells.len();
        for action in &actions {
            if let Action::Assign { place, value } = action
                && reads(value).iter().any(|c| cells.contains(c))
            {
                cells.extend(cells_of(place));
            }
        }
        if cells.len() == before {
            return cells;
        }
    }
}

/// Whether one of the cycle's statements modifies one of the cells.
pub(super) fn cycle_modifies(catalogue: &Catalogue, cycle: CycleId, cells: &BTreeSet<Cell>) -> bool {
    !modifying_arcs(catalogue, cycle, cells).is_empty()
}

/// The statements of a cycle that modify one of the cells, in order.
pub(super) fn modifying_arcs(
    catalogue: &Catalogue,
    cycle: CycleId,
    cells: &BTreeSet<Cell>,
) -> Vec<super::ArcId> {
    let data = catalogue.cycle(cycle);
    data.arcs
        .iter()
        .copied()
        .filter(|&a| !modifies(&catalogue.arc(data.process, a).action).is_disjoint(cells))
        .collect()
}
