//! Which variables statements and cycles read and modify.

use std::collections::BTreeSet;

use promela::model::{ExprKind, Frame, Place, Scalar};
use system::automaton::{Action, Automaton, System};
use system::code::footprint::{Footprint, Slots};

use super::{Arc, ArcId, Catalogue, CycleId};

/// A scalar of a frame.
pub(super) type Cell = (Frame, u32);

/// The cells that a place may mean, whatever its indices; an index that is a number means one element.
pub(super) fn cells_of(place: &Place) -> Vec<Cell> {
    let mut slots = vec![place.base];
    for index in &place.indices {
        let elements = match index.value.kind {
            ExprKind::Constant { value, .. } => match u32::try_from(value) {
                Ok(element) if element < index.length => element..element + 1,
                _ => 0..0,
            },
            _ => 0..index.length,
        };
        slots = slots
            .iter()
            .flat_map(|slot| elements.clone().map(move |element| slot + element * index.stride))
            .collect();
    }
    slots.into_iter().map(|slot| (place.frame, slot)).collect()
}

/// What a statement may look at and modify.
pub(super) struct Touched {
    pub reads: BTreeSet<Cell>,
    pub writes: BTreeSet<Cell>,
    /// It looks at nothing but numbers in variables: no channel, no other process.
    pub is_arithmetic: bool,
}

/// What a statement of an automaton may look at and modify.
pub(super) fn touched(system: &System, automaton: &Automaton, action: &Action) -> Touched {
    let footprint = Footprint::of_statement(system, action);
    let cells = |globals: &Slots, locals: &Slots| -> BTreeSet<Cell> {
        let globals = globals.iter().map(|slot| (Frame::Global, slot));
        globals.chain(locals.iter().map(|slot| (Frame::Local, slot))).collect()
    };
    let reads = cells(&footprint.reads, &footprint.local_reads);
    let writes = cells(&footprint.writes, &footprint.local_writes);
    let is_number = |&(frame, slot): &Cell| {
        let slots = if frame == Frame::Global { &system.global_slots } else { &automaton.slots };
        slots[slot as usize].scalar != Scalar::Chan
    };
    let of_variables = Footprint {
        reads: footprint.reads.clone(),
        writes: footprint.writes.clone(),
        local_reads: footprint.local_reads.clone(),
        local_writes: footprint.local_writes.clone(),
        pid: footprint.pid,
        may_block: footprint.may_block,
        may_succeed: footprint.may_succeed,
        may_fail: footprint.may_fail,
        ..Footprint::default()
    };
    let is_arithmetic = footprint == of_variables && reads.iter().all(is_number);
    Touched { reads, writes, is_arithmetic }
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
    let tested = catalogue.arc(data.process, condition).condition.as_ref();
    let assignments: Vec<&Arc> = assignments(catalogue, cycle).collect();
    computed_from(tested.map(|c| c.reads.clone()).unwrap_or_default(), &assignments)
}

/// These cells, and those that the assignments compute them from.
pub(super) fn computed_from(mut cells: BTreeSet<Cell>, assignments: &[&Arc]) -> BTreeSet<Cell> {
    loop {
        let before = cells.len();
        for arc in assignments {
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
