//! Which variables statements and cycles read and modify.

use std::collections::BTreeSet;

use promela::model::{Frame, Place};
use system::automaton::{Action, System};
use system::code::footprint::{Footprint, Slots};

use super::{Arc, ArcId, Catalogue, CycleId};

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

/// The cells that a statement may look at, and those that it may modify.
pub(super) fn touched(system: &System, action: &Action) -> (BTreeSet<Cell>, BTreeSet<Cell>) {
    let Footprint { reads, local_reads, writes, local_writes, .. } = Footprint::of_statement(system, action);
    let cells = |globals: Slots, locals: Slots| {
        let globals = globals.iter().map(|slot| (Frame::Global, slot)).collect::<Vec<_>>();
        globals.into_iter().chain(locals.iter().map(|slot| (Frame::Local, slot))).collect()
    };
    (cells(reads, local_reads), cells(writes, local_writes))
}

/// Global cells that more than one process looks at or modifies: the others are as good as local.
pub(super) fn shared_globals(catalogue: &Catalogue) -> BTreeSet<u32> {
    let mut users: std::collections::BTreeMap<u32, BTreeSet<usize>> = Default::default();
    for (index, process) in catalogue.processes.iter().enumerate() {
        for arc in &process.arcs {
            for &(frame, slot) in arc.reads.union(&arc.writes) {
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
pub(super) fn influences(catalogue: &Catalogue, cycle: CycleId, condition: ArcId) -> BTreeSet<Cell> {
    let data = catalogue.cycle(cycle);
    let mut cells = catalogue.arc(data.process, condition).reads.clone();
    loop {
        let before = cells.len();
        for arc in assignments(catalogue, cycle) {
            if !arc.writes.is_disjoint(&cells) {
                cells.extend(&arc.reads);
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
    let mut cells: BTreeSet<Cell> = shared.iter().map(|&slot| (Frame::Global, slot)).collect();
    for arc in arcs(catalogue, cycle).filter(|arc| matches!(arc.action, Action::Receive { .. })) {
        cells.extend(&arc.writes);
    }
    loop {
        let before = cells.len();
        for arc in assignments(catalogue, cycle) {
            if !arc.reads.is_disjoint(&cells) {
                cells.extend(&arc.writes);
            }
        }
        if cells.len() == before {
            return cells;
        }
    }
}

fn arcs(catalogue: &Catalogue, cycle: CycleId) -> impl Iterator<Item = &Arc> {
    let data = catalogue.cycle(cycle);
    data.arcs.iter().map(|&arc| catalogue.arc(data.process, arc))
}

fn assignments(catalogue: &Catalogue, cycle: CycleId) -> impl Iterator<Item = &Arc> {
    arcs(catalogue, cycle).filter(|arc| matches!(arc.action, Action::Assign { .. }))
}

/// Whether one of the cycle's statements modifies one of the cells.
pub(super) fn cycle_modifies(catalogue: &Catalogue, cycle: CycleId, cells: &BTreeSet<Cell>) -> bool {
    arcs(catalogue, cycle).any(|arc| !arc.writes.is_disjoint(cells))
}

/// The statements of a cycle that modify one of the cells, in order.
pub(super) fn modifying_arcs(catalogue: &Catalogue, cycle: CycleId, cells: &BTreeSet<Cell>) -> Vec<ArcId> {
    let data = catalogue.cycle(cycle);
    let modifies = |arc: &ArcId| !catalogue.arc(data.process, *arc).writes.is_disjoint(cells);
    data.arcs.iter().copied().filter(modifies).collect()
}
