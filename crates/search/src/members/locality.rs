//! Which components decide who owns a state, so that most steps lead to a state of the same member.
//!
//! A sample of states and steps is looked at: levels of a breadth-first search, of which some states each are gone on with. Components that few
//! steps change, and whose values are many enough to share, are candidates; their values are parted among the members so that the
//! parts are equally heavy and few steps lead from one to another (a part grows from a value over the steps that connect it; then values
//! at the borders move: Fiduccia and Mattheyses, "A linear-time heuristic for improving network partitions", 1982). The candidate for which the fewest
//! steps leave a member wins. A bad sample makes the search slower, never wrong: any choice is one that all members agree on.

use super::owners::{Decider, Ownership, by_hash, key_of};
use super::{Ground, number_in};
use crate::budget::Account;
use crate::disk::Successors;
use crate::explore::expand::{Expander, LayoutIsFull, lock};
use crate::explore::memo::RowMemory;
use crate::packed::components::ComponentId;
use crate::packed::digest::tokens_of;
use crate::packed::layout::{Layout, MOST_WORDS};
use foldhash::quality::FixedState;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::BuildHasher;

/// States of a level that are gone on with.
const OF_A_LEVEL: usize = 256;
/// States that are expanded at the most.
const EXPANDED: usize = 1 << 14;
/// Numbers of components that are kept of all states together.
const NUMBERS: usize = 1 << 21;
/// How often it is begun again because a value had no room.
const ATTEMPTS: usize = 16;
/// Components that decide together at the most.
const DECIDING: usize = 6;
/// For each member there should be so many values (if all were equally frequent): what the sample says of a few need not hold.
const VALUES_FOR_EACH: f64 = 8.0;
/// Values that are parted; more are left to a hash.
const PARTED: usize = 1 << 12;
/// How much heavier than its share a part may be.
const SLACK: f64 = 1.03;
/// How often values at the borders move.
const PASSES: usize = 8;

/// States by the numbers of their components, and steps between them.
struct Sample {
    components: Vec<ComponentId>,
    /// As many for each state as there are components.
    numbers: Vec<u32>,
    /// From a state, to a state.
    steps: Vec<(u32, u32)>,
    /// States that were expanded.
    expanded: Vec<u32>,
}

/// How some components part the states of a sample.
struct Parting {
    /// By value of these components: the member.
    members: Vec<u32>,
    /// Steps that lead to another member.
    leaving: u64,
}

/// Chooses what decides about the owners of states.
pub fn choose(ground: &Ground<'_>, members: usize) -> Ownership {
    if members < 2 {
        return Ownership::by_hash(members);
    }
    let account = Account::new(&ground.shared.budget);
    for _ in 0..ATTEMPTS {
        let Some(layout) = Layout::plan(&lock(&ground.shared.knowledge).components) else { break };
        let sample = match layout.words() {
            1 => sample::<1>(ground, layout, &account),
            2 => sample::<2>(ground, layout, &account),
            4 => sample::<4>(ground, layout, &account),
            16 => sample::<16>(ground, layout, &account),
            MOST_WORDS => sample::<MOST_WORDS>(ground, layout, &account),
            _ => break,
        };
        if let Ok(sample) = sample {
            return sample.choose(ground, members).unwrap_or_else(|| Ownership::by_hash(members));
        }
    }
    Ownership::by_hash(members)
}

fn sample<const N: usize>(
    ground: &Ground<'_>,
    layout: Layout,
    account: &Account,
) -> Result<Sample, LayoutIsFull> {
    let fields: Vec<_> = layout.fields().filter(|(_, field)| field.width > 0).collect();
    let components = fields.iter().map(|&(component, _)| component).collect();
    let mut sample = Sample { components, numbers: Vec::new(), steps: Vec::new(), expanded: Vec::new() };
    let most_states = NUMBERS / fields.len().max(1);
    let bytes = most_states * (fields.len() * 4 + 8 * (2 * N + 2));
    if !account.allows(4 * bytes) {
        return Ok(sample);
    }
    account.set(bytes);
    let initial = layout.pack(number_in(&ground.initial));
    let mut expander = {
        let knowledge = lock(&ground.shared.knowledge);
        Expander::<N>::new(&ground.shared, layout, &knowledge.components, RowMemory::default())
    };
    let mut successors = Successors::default();
    let mut met: HashSet<[u64; N], FixedState> = HashSet::from_iter([initial]);
    let mut level = vec![initial];
    let mut states = 0;
    let mut add = |sample: &mut Sample, state: &[u64; N]| {
        sample.numbers.extend(fields.iter().map(|(_, field)| field.get(state)));
        states += 1;
        states as u32 - 1
    };
    while !level.is_empty() {
        // Any of them, and the same whenever it is asked.
        level.sort_by_cached_key(|state| FixedState::default().hash_one(state));
        level.truncate(OF_A_LEVEL);
        for source in std::mem::take(&mut level) {
            expander.expand_fully(&source, &mut successors)?;
            let from = add(&mut sample, &source);
            sample.expanded.push(from);
            for state in &successors.states {
                let to = add(&mut sample, state);
                sample.steps.push((from, to));
                if met.insert(*state) {
                    level.push(*state);
                }
            }
            let is_enough = sample.expanded.len() >= EXPANDED
                || sample.numbers.len() + (successors.states.len() + 1) * fields.len() >= NUMBERS;
            successors.clear();
            if is_enough {
                return Ok(sample);
            }
        }
    }
    Ok(sample)
}

impl Sample {
    /// The best choice; `None` if there is nothing to choose from.
    fn choose(&self, ground: &Ground<'_>, members: usize) -> Option<Ownership> {
        let states = self.numbers.len() / self.components.len().max(1);
        // By state: which combination of the values of the chosen components it has.
        let mut values = vec![0; states];
        let mut chosen: Vec<usize> = Vec::new();
        let enough = VALUES_FOR_EACH * members as f64;
        while chosen.len() < DECIDING.min(self.components.len()) {
            let mut best: Option<(Parting, usize, Vec<u32>)> = None;
            let mut cheapest: Option<(f64, usize, Vec<u32>)> = None;
            let before = self.effective(&values);
            for component in (0..self.components.len()).filter(|component| !chosen.contains(component)) {
                let combined = self.combined(&values, component);
                let effective = self.effective(&combined);
                if effective >= enough {
                    let parting = self.part(&combined, members);
                    if best.as_ref().is_none_or(|(known, ..)| parting.leaving < known.leaving) {
                        best = Some((parting, component, combined));
                    }
                } else if effective > before * 1.01 {
                    // What it costs for what it brings.
                    let changed = self.steps.iter().filter(|&&(from, to)| {
                        self.number(from as usize, component) != self.number(to as usize, component)
                    });
                    let cost = (1 + changed.count()) as f64 / (effective / before).ln();
                    if cheapest.as_ref().is_none_or(|(known, ..)| cost < *known) {
                        cheapest = Some((cost, component, combined));
                    }
                }
            }
            if let Some((parting, component, combined)) = best {
                chosen.push(component);
                return Some(self.ownership(ground, members, &chosen, &combined, &parting));
            }
            let Some((_, component, combined)) = cheapest else { break };
            chosen.push(component);
            values = combined;
        }
        if chosen.is_empty() {
            return None;
        }
        let parting = self.part(&values, members);
        Some(self.ownership(ground, members, &chosen, &values, &parting))
    }

    fn number(&self, state: usize, component: usize) -> u32 {
        self.numbers[state * self.components.len() + component]
    }

    /// Numbers the combinations of values with those of another component.
    fn combined(&self, values: &[u32], component: usize) -> Vec<u32> {
        let mut numbers: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
        values
            .iter()
            .enumerate()
            .map(|(state, &value)| {
                let next = numbers.len() as u32;
                *numbers.entry((value, self.number(state, component))).or_insert(next)
            })
            .collect()
    }

    /// How many states of the sample have each value; only those that were expanded, which were not chosen by what they lead to.
    fn weights(&self, values: &[u32]) -> Vec<u64> {
        let mut weights = vec![0; values.iter().max().map_or(0, |&most| most as usize + 1)];
        self.expanded.iter().for_each(|&state| weights[values[state as usize] as usize] += 1);
        weights
    }

    /// How many values there would be if all were equally frequent.
    fn effective(&self, values: &[u32]) -> f64 {
        let squares: f64 = self.weights(values).iter().map(|&weight| (weight as f64).powi(2)).sum();
        (self.expanded.len() as f64).powi(2) / squares.max(1.0)
    }

    fn part(&self, values: &[u32], members: usize) -> Parting {
        let weights = self.weights(values);
        let between = self.steps.iter().map(|&(from, to)| (values[from as usize], values[to as usize]));
        let between: Vec<(u32, u32)> = between.filter(|(from, to)| from != to).collect();
        let parts = match weights.len() <= PARTED {
            true => parted(&weights, &between, members),
            // As a hash would do it.
            false => (0..weights.len() as u64)
                .map(|value| by_hash(key_of(u128::from(value)), members) as u32)
                .collect(),
        };
        let leaves = |&&(from, to): &&(u32, u32)| parts[from as usize] != parts[to as usize];
        Parting { leaving: between.iter().filter(leaves).count() as u64, members: parts }
    }

    fn ownership(
        &self,
        ground: &Ground<'_>,
        members: usize,
        chosen: &[usize],
        values: &[u32],
        parting: &Parting,
    ) -> Ownership {
        let knowledge = lock(&ground.shared.knowledge);
        let components = &knowledge.components;
        let ids: Vec<ComponentId> = chosen.iter().map(|&component| self.components[component]).collect();
        let tokens: Vec<Vec<u128>> = ids.iter().map(|&id| tokens_of(components, id, 0)).collect();
        let mut assigned: Vec<Option<(u64, u32)>> = vec![None; parting.members.len()];
        for (state, &value) in values.iter().enumerate() {
            let slot = &mut assigned[value as usize];
            if slot.is_none() {
                let token = |(place, tokens): (usize, &Vec<u128>)| {
                    tokens.get(self.number(state, chosen[place]) as usize).copied().unwrap_or(0)
                };
                let sum = tokens.iter().enumerate().map(token).fold(0u128, u128::wrapping_add);
                *slot = Some((key_of(sum), parting.members[value as usize]));
            }
        }
        let assigned = match parting.members.len() <= PARTED {
            true => assigned.into_iter().flatten().collect(),
            false => Vec::new(),
        };
        let deciding = ids.into_iter().map(|id| Decider::of(components.kind(id))).collect();
        Ownership::by_components(members, deciding, assigned)
    }
}

/// Parts values among members: equally heavy, with few steps between them.
fn parted(weights: &[u64], between: &[(u32, u32)], members: usize) -> Vec<u32> {
    let mut near: Vec<HashMap<u32, u64, FixedState>> = vec![HashMap::default(); weights.len()];
    for &(from, to) in between {
        *near[from as usize].entry(to).or_default() += 1;
        *near[to as usize].entry(from).or_default() += 1;
    }
    let near: Vec<Vec<(u32, u64)>> = near
        .into_iter()
        .map(|near| {
            let mut near: Vec<_> = near.into_iter().collect();
            near.sort_unstable();
            near
        })
        .collect();
    let mut parts = grown(weights, &near, members);
    improve(&mut parts, weights, &near, members);
    parts
}

/// Lets one part after another grow from a value over what it is connected to.
fn grown(weights: &[u64], near: &[Vec<(u32, u64)>], members: usize) -> Vec<u32> {
    const NOBODY: u32 = u32::MAX;
    let mut parts = vec![NOBODY; weights.len()];
    let mut left: u64 = weights.iter().sum();
    let mut next_seed = 0;
    for member in 0..members as u32 {
        let share = left / (members as u64 - u64::from(member));
        let mut weight = 0;
        let mut border: BinaryHeap<(u64, u32)> = BinaryHeap::new();
        let mut connection: HashMap<u32, u64, FixedState> = HashMap::default();
        let is_last = member as usize + 1 == members;
        while is_last || weight < share {
            let from_border = std::iter::from_fn(|| border.pop()).find(|&(strength, value)| {
                parts[value as usize] == NOBODY && connection.get(&value) == Some(&strength)
            });
            let value = match from_border {
                Some((_, value)) => value as usize,
                None => {
                    while parts.get(next_seed).is_some_and(|&part| part != NOBODY) {
                        next_seed += 1;
                    }
                    if next_seed == parts.len() {
                        break;
                    }
                    next_seed
                }
            };
            // The one that goes beyond is taken if less is missing with it than without it.
            if !is_last && weight > 0 && weight + weights[value] > share + (share - weight) {
                break;
            }
            parts[value] = member;
            weight += weights[value];
            for &(neighbour, steps) in
                near[value].iter().filter(|(other, _)| parts[*other as usize] == NOBODY)
            {
                let strength = connection.entry(neighbour).or_default();
                *strength += steps;
                border.push((*strength, neighbour));
            }
        }
        left -= weight;
    }
    parts
}

/// Moves values to the part that they have more to do with, as long as no part becomes too heavy.
fn improve(parts: &mut [u32], weights: &[u64], near: &[Vec<(u32, u64)>], members: usize) {
    let mut heavy = vec![0u64; members];
    parts.iter().zip(weights).for_each(|(&part, &weight)| heavy[part as usize] += weight);
    let most = (weights.iter().sum::<u64>() as f64 / members as f64 * SLACK).ceil() as u64;
    for _ in 0..PASSES {
        let mut has_moved = false;
        for value in 0..parts.len() {
            let own = parts[value] as usize;
            let mut steps: HashMap<u32, u64, FixedState> = HashMap::default();
            near[value]
                .iter()
                .for_each(|&(other, count)| *steps.entry(parts[other as usize]).or_default() += count);
            let at_home = steps.get(&(own as u32)).copied().unwrap_or(0);
            let too_heavy = heavy[own] > most;
            let fits = |part: u32| {
                let after = heavy[part as usize] + weights[value];
                after <= most || (too_heavy && after < heavy[own])
            };
            let best = steps
                .into_iter()
                .filter(|&(part, count)| part as usize != own && (count > at_home || too_heavy) && fits(part))
                .max_by_key(|&(part, count)| (count, std::cmp::Reverse(part)));
            if let Some((part, _)) = best {
                heavy[own] -= weights[value];
                heavy[part as usize] += weights[value];
                parts[value] = part;
                has_moved = true;
            }
        }
        if !has_moved {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_values_is_parted_into_arcs() {
        let weights = vec![10; 60];
        let between: Vec<(u32, u32)> = (0..60).flat_map(|n| [(n, (n + 1) % 60); 5]).collect();
        for members in [2, 3, 4, 6] {
            let parts = parted(&weights, &between, members);
            let leaving = between.iter().filter(|(a, b)| parts[*a as usize] != parts[*b as usize]).count();
            assert!(leaving <= 5 * members, "{members} members: {parts:?}");
            for member in 0..members {
                let values = parts.iter().filter(|&&part| part as usize == member).count();
                assert!(values * members >= 50 && values * members <= 70, "{members} members: {parts:?}");
            }
        }
    }

    #[test]
    fn values_without_steps_are_shared_as_well() {
        let parts = parted(&[5, 5, 5, 5], &[], 2);
        assert_eq!(parts.iter().filter(|&&part| part == 0).count(), 2, "{parts:?}");
        // One that weighs more than all others has a member for itself.
        let parts = parted(&[90, 5, 5], &[(0, 1), (1, 2)], 2);
        assert!(parts[1] == parts[2] && parts[0] != parts[1], "{parts:?}");
    }
}
