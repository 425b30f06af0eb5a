//! The figures of the study's tables: how many dependencies each strategy finds, and how large their sets are.

use std::collections::BTreeMap;

use super::dependency::{Cause, Dependency, Strategy};
use super::{ArcId, Catalogue, CycleId};

/// How many dependencies there are, and the sizes of their sets together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Dependencies.
    pub dependencies: usize,
    /// Cycles in their sets.
    pub size: usize,
}

/// The figures of all strategies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DependencyCounts {
    /// Conditions: the cycle ends and its process goes on with a neighbour.
    pub neighbours: Count,
    /// Conditions, in the order of [`Strategy::ALL`].
    pub conditions: [Count; 4],
    /// Receives, by who sends (SC).
    pub senders: Count,
    /// Receives, by who sends what the cycle then asks for (FC); where nothing is asked for, as SC.
    pub fastened: Count,
}

impl DependencyCounts {
    /// Counts dependencies that were looked for with [`Strategy::ALL`].
    pub fn of(found: &[Dependency]) -> DependencyCounts {
        let mut counts = DependencyCounts::default();
        for dependency in found {
            let size = dependency.on.len();
            match dependency.cause {
                Cause::Neighbours { .. } => counts.neighbours.add(size),
                Cause::Condition { strategy, .. } => {
                    let at = Strategy::ALL.iter().position(|s| *s == strategy).unwrap_or(0);
                    counts.conditions[at].add(size);
                }
                Cause::Receive { receive } => {
                    counts.senders.add(size);
                    let finer = messages_at(found, dependency.cycle, receive).map(|d| d.on.len()).min();
                    counts.fastened.add(finer.unwrap_or(size));
                }
                Cause::Message { .. } => {}
            }
        }
        counts
    }
}

impl Count {
    fn add(&mut self, size: usize) {
        self.dependencies += 1;
        self.size += size;
    }
}

/// Where a finer strategy finds a cycle that a coarser one does not: PC ⊆ ND ⊆ MC, improved ⊆ MC and FC ⊆ SC, dependency by dependency
/// (the study, section 6). A sentence each; there must be none.
pub fn inclusions_broken(catalogue: &Catalogue, found: &[Dependency]) -> Vec<String> {
    let mut broken = Vec::new();
    let mut by_condition: BTreeMap<(CycleId, ArcId), Vec<(Strategy, &Dependency)>> = BTreeMap::new();
    for dependency in found {
        match dependency.cause {
            Cause::Condition { condition, strategy, .. } => {
                by_condition.entry((dependency.cycle, condition)).or_default().push((strategy, dependency));
            }
            Cause::Receive { receive } => {
                for finer in messages_at(found, dependency.cycle, receive) {
                    if !finer.on.is_subset(&dependency.on) {
                        broken.push(format!("FC finds more than SC: {}", finer.in_words(catalogue)));
                    }
                }
            }
            Cause::Neighbours { .. } | Cause::Message { .. } => {}
        }
    }
    for strategies in by_condition.values() {
        for &(fine, smaller) in strategies {
            // What the improved search does not count as help it looks behind, so it may find what PC stops before.
            let coarse = match fine {
                Strategy::Modifying => continue,
                Strategy::NextDoor | Strategy::Improved => Strategy::Modifying,
                Strategy::Preemptive => Strategy::NextDoor,
            };
            let larger = strategies.iter().find(|(strategy, _)| *strategy == coarse);
            if larger.is_some_and(|(_, larger)| !smaller.on.is_subset(&larger.on)) {
                let sentence = smaller.in_words(catalogue);
                broken.push(format!("{} finds more than {}: {sentence}", fine.name(), coarse.name()));
            }
        }
    }
    broken
}

fn messages_at(found: &[Dependency], cycle: CycleId, at: ArcId) -> impl Iterator<Item = &Dependency> {
    found.iter().filter(
        move |d| matches!(d.cause, Cause::Message { receive, .. } if d.cycle == cycle && receive == at),
    )
}
