//! Finite sets of values: sorted intervals of integers, and channels by name.
//!
//! Invariant: the intervals are sorted, disjoint and not adjacent, the channels sorted without repetition, so equal sets
//! are equal data and have one JSON form. A channel is kept by its [`ObjectId`] and not by the number that it has
//! in a state, because the number depends on how many channels exist when it is created.

#![warn(clippy::arithmetic_side_effects)]

use crate::claims::ObjectId;
use serde::{Deserialize, Serialize};

/// All integers from `low` to `high`, both included. In JSON `[low, high]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(from = "(i32, i32)", into = "(i32, i32)")]
pub struct Interval {
    /// The least.
    pub low: i32,
    /// The largest.
    pub high: i32,
}

impl From<(i32, i32)> for Interval {
    fn from((low, high): (i32, i32)) -> Self {
        Interval { low, high }
    }
}

impl From<Interval> for (i32, i32) {
    fn from(interval: Interval) -> Self {
        (interval.low, interval.high)
    }
}

impl Interval {
    /// Number of elements.
    pub fn count(&self) -> u64 {
        let last = i64::from(self.high).saturating_sub(i64::from(self.low));
        u64::try_from(last).map_or(0, |last| last.saturating_add(1))
    }
}

/// A set of integers and channels.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// The integers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub integers: Vec<Interval>,
    /// The channels that a variable may denote. The integer 0 in the same set is "no channel".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ObjectId>,
}

impl Values {
    /// The empty set.
    pub fn none() -> Self {
        Values::default()
    }

    /// One integer.
    pub fn integer(value: i32) -> Self {
        Values::interval(value, value)
    }

    /// All integers from `low` to `high`; empty if `low > high`.
    pub fn interval(low: i32, high: i32) -> Self {
        let integers = if low <= high { vec![Interval { low, high }] } else { Vec::new() };
        Values { integers, channels: Vec::new() }
    }

    /// These integers.
    pub fn integers(values: impl IntoIterator<Item = i32>) -> Self {
        let intervals = values.into_iter().map(|value| Interval { low: value, high: value }).collect();
        Values { integers: normalize(intervals), channels: Vec::new() }
    }

    /// One channel.
    pub fn channel(object: ObjectId) -> Self {
        Values { integers: Vec::new(), channels: vec![object] }
    }

    /// Every 32-bit integer.
    pub fn all_integers() -> Self {
        Values::interval(i32::MIN, i32::MAX)
    }

    /// 0 and 1.
    pub fn truth_values() -> Self {
        Values::interval(0, 1)
    }

    /// Whether the set is in the one form that its elements have.
    pub fn is_canonical(&self) -> bool {
        let intervals = self.integers.iter().all(|interval| interval.low <= interval.high);
        let gaps = self
            .integers
            .windows(2)
            .all(|pair| i64::from(pair[0].high).saturating_add(1) < i64::from(pair[1].low));
        intervals && gaps && self.channels.windows(2).all(|pair| pair[0] < pair[1])
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.integers.is_empty() && self.channels.is_empty()
    }

    /// Number of elements.
    pub fn count(&self) -> u64 {
        let integers: u64 = self.integers.iter().map(Interval::count).fold(0, u64::saturating_add);
        integers.saturating_add(self.channels.len() as u64)
    }

    /// The element, if there is exactly one and it is an integer.
    pub fn single_integer(&self) -> Option<i32> {
        match (self.integers.as_slice(), self.channels.as_slice()) {
            ([Interval { low, high }], []) if low == high => Some(*low),
            _ => None,
        }
    }

    /// Whether the integer is in it.
    pub fn contains(&self, value: i32) -> bool {
        self.integers.iter().any(|interval| interval.low <= value && value <= interval.high)
    }

    /// Whether the channel is in it.
    pub fn contains_channel(&self, object: ObjectId) -> bool {
        self.channels.binary_search(&object).is_ok()
    }

    /// Every integer of the set, in order. May be long: ask [`Values::count`] first.
    pub fn iter_integers(&self) -> impl Iterator<Item = i32> + '_ {
        self.integers.iter().flat_map(|interval| interval.low..=interval.high)
    }

    /// What is in one or the other.
    pub fn union(&self, other: &Values) -> Values {
        let integers = normalize(self.integers.iter().chain(&other.integers).copied().collect());
        let mut channels: Vec<ObjectId> = self.channels.iter().chain(&other.channels).copied().collect();
        channels.sort_unstable();
        channels.dedup();
        Values { integers, channels }
    }

    /// What is in both.
    pub fn intersection(&self, other: &Values) -> Values {
        let mut integers = Vec::new();
        for a in &self.integers {
            for b in &other.integers {
                let interval = Interval { low: a.low.max(b.low), high: a.high.min(b.high) };
                if interval.low <= interval.high {
                    integers.push(interval);
                }
            }
        }
        let channels = self.channels.iter().filter(|c| other.contains_channel(**c)).copied().collect();
        Values { integers: normalize(integers), channels }
    }

    /// Whether nothing is in both.
    pub fn is_disjoint(&self, other: &Values) -> bool {
        let apart = |a: &Interval, b: &Interval| a.high < b.low || b.high < a.low;
        self.integers.iter().all(|a| other.integers.iter().all(|b| apart(a, b)))
            && !self.channels.iter().any(|channel| other.contains_channel(*channel))
    }

    /// What is in `self` and not in `other`.
    pub fn difference(&self, other: &Values) -> Values {
        let mut integers = Vec::new();
        for interval in &self.integers {
            let mut low = i64::from(interval.low);
            for hole in &other.integers {
                if hole.high < interval.low || hole.low > interval.high {
                    continue;
                }
                if low < i64::from(hole.low) {
                    integers.push(Interval { low: low as i32, high: hole.low.saturating_sub(1) });
                }
                low = low.max(i64::from(hole.high).saturating_add(1));
            }
            if low <= i64::from(interval.high) {
                integers.push(Interval { low: low as i32, high: interval.high });
            }
        }
        let channels = self.channels.iter().filter(|c| !other.contains_channel(**c)).copied().collect();
        Values { integers: normalize(integers), channels }
    }

    /// Whether every element is in `other`.
    pub fn is_subset(&self, other: &Values) -> bool {
        self.difference(other).is_empty()
    }

    /// Least and largest integer.
    pub fn hull(&self) -> Option<Interval> {
        match (self.integers.first(), self.integers.last()) {
            (Some(first), Some(last)) => Some(Interval { low: first.low, high: last.high }),
            _ => None,
        }
    }
}

/// Subtracts one box from another: appends what is left to `rest`, as disjoint boxes; whether they meet.
pub fn subtract(part: &[Values], other: &[Values], rest: &mut Vec<Vec<Values>>) -> bool {
    if part.iter().zip(other).any(|(a, b)| a.is_disjoint(b)) {
        // A box with an empty side has no element at all.
        if !part.iter().any(Values::is_empty) {
            rest.push(part.to_vec());
        }
        return false;
    }
    let common: Vec<Values> = part.iter().zip(other).map(|(a, b)| a.intersection(b)).collect();
    for (side, (have, taken)) in part.iter().zip(&common).enumerate() {
        let outside = have.difference(taken);
        if !outside.is_empty() {
            let mut piece = common[..side].to_vec();
            piece.push(outside);
            piece.extend(part.iter().skip(side.saturating_add(1)).cloned());
            rest.push(piece);
        }
    }
    true
}

/// Sorts intervals and joins those that touch.
fn normalize(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut joined: Vec<Interval> = Vec::with_capacity(intervals.len());
    for interval in intervals {
        match joined.last_mut() {
            Some(last) if i64::from(interval.low) <= i64::from(last.high).saturating_add(1) => {
                last.high = last.high.max(interval.high);
            }
            _ => joined.push(interval),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_join_and_order_does_not_matter() {
        let set = Values::integers([3, 1, 2, 7]);
        assert_eq!(set.integers, vec![Interval { low: 1, high: 3 }, Interval { low: 7, high: 7 }]);
        assert!(set.is_canonical());
        assert_eq!(set.count(), 4);
    }

    #[test]
    fn difference_at_the_ends_of_the_range_does_not_wrap() {
        let rest = Values::all_integers().difference(&Values::integers([i32::MIN, 0, i32::MAX]));
        assert_eq!(
            rest.integers,
            vec![Interval { low: i32::MIN + 1, high: -1 }, Interval { low: 1, high: i32::MAX - 1 }]
        );
    }

    #[test]
    fn channels_and_integers_are_different_elements() {
        let both = Values::integer(0).union(&Values::channel(ObjectId(0)));
        assert_eq!(both.count(), 2);
        assert_eq!(both.difference(&Values::integer(0)), Values::channel(ObjectId(0)));
        assert_eq!(both.intersection(&Values::integer(0)), Values::integer(0));
    }
}
