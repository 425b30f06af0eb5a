//! Sets of values that a variable or a message field may hold: a small set, then an interval.
//!
//! Every operation over-approximates: the result holds every value that the operation can yield on members of its operands.
//! An operation that is an error when the model runs (a division by zero) yields nothing, since the run ends there.

use promela::model::{BinaryOp, Scalar, UnaryOp};
use system::arithmetic;

use crate::values::members::Members;

/// More values than this become an interval.
pub const LARGEST_SET: usize = 64;

/// Pairs of values that a binary operation looks at one by one before it falls back on intervals.
const LARGEST_PRODUCT: usize = 4096;

/// A set of 32-bit integers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Values {
    /// Exactly these; sorted, each once, at most [`LARGEST_SET`] of them.
    Set(Members),
    /// All from the first to the second, more than [`LARGEST_SET`] of them.
    Range(i32, i32),
}

impl Values {
    /// No value at all.
    pub fn empty() -> Values {
        Values::Set(Members::from([]))
    }

    /// One value.
    pub fn single(value: i32) -> Values {
        Values::Set(Members::from([value]))
    }

    /// False or true.
    pub fn truth() -> Values {
        Values::Set(Members::from([0, 1]))
    }

    /// Every 32-bit integer.
    pub fn all() -> Values {
        Values::Range(i32::MIN, i32::MAX)
    }

    /// Everything that a variable of this type can hold.
    pub fn of_type(scalar: Scalar) -> Values {
        let (low, high) = scalar.range();
        Values::range(low, high)
    }

    /// All integers from `low` to `high`.
    pub fn range(low: i32, high: i32) -> Values {
        if low > high {
            Values::empty()
        } else if i64::from(high) - i64::from(low) < LARGEST_SET as i64 {
            Values::Set((low..=high).collect())
        } else {
            Values::Range(low, high)
        }
    }

    /// These values, or an interval around them if they are many.
    pub fn from_values(mut values: Vec<i32>) -> Values {
        values.sort_unstable();
        values.dedup();
        if values.len() <= LARGEST_SET {
            Values::Set(values.into())
        } else {
            Values::range(values[0], values[values.len() - 1])
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        matches!(self, Values::Set(values) if values.is_empty())
    }

    /// The value, if there is exactly one.
    pub fn as_single(&self) -> Option<i32> {
        match self {
            Values::Set(values) if values.len() == 1 => Some(values[0]),
            _ => None,
        }
    }

    /// The values one by one, if they are few.
    pub fn as_set(&self) -> Option<&[i32]> {
        match self {
            Values::Set(values) => Some(values),
            Values::Range(..) => None,
        }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        match self {
            Values::Set(values) => values.len() as u64,
            Values::Range(low, high) => (i64::from(*high) - i64::from(*low) + 1) as u64,
        }
    }

    /// Least and largest value; `None` if there is none.
    pub fn bounds(&self) -> Option<(i32, i32)> {
        match self {
            Values::Set(values) => Some((*values.first()?, *values.last()?)),
            Values::Range(low, high) => Some((*low, *high)),
        }
    }

    /// Whether the value is a member.
    pub fn contains(&self, value: i32) -> bool {
        match self {
            Values::Set(values) => values.binary_search(&value).is_ok(),
            Values::Range(low, high) => *low <= value && value <= *high,
        }
    }

    /// Whether every member is a member of the other.
    pub fn is_subset(&self, other: &Values) -> bool {
        match self {
            Values::Set(values) => values.iter().all(|&value| other.contains(value)),
            Values::Range(low, high) => match other {
                Values::Set(_) => false,
                Values::Range(other_low, other_high) => other_low <= low && high <= other_high,
            },
        }
    }

    /// Whether some value is in both.
    pub fn intersects(&self, other: &Values) -> bool {
        !self.meet(other).is_empty()
    }

    /// Values that are in one of the two (more, if they are many).
    pub fn join(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Set(left), Values::Set(right)) => {
                // Most joins add nothing, or add to nothing.
                if self.is_subset(other) {
                    return other.clone();
                }
                Values::from_values([&left[..], &right[..]].concat())
            }
            _ => match (self.bounds(), other.bounds()) {
                (Some((a, b)), Some((c, d))) => Values::range(a.min(c), b.max(d)),
                (Some(_), None) => self.clone(),
                _ => other.clone(),
            },
        }
    }

    /// Adds the other's values; whether that made a difference.
    pub fn join_with(&mut self, other: &Values) -> bool {
        if other.is_subset(self) {
            return false;
        }
        *self = self.join(other);
        true
    }

    /// Values that are in both.
    pub fn meet(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Set(values), _) => {
                Values::Set(values.iter().copied().filter(|&value| other.contains(value)).collect())
            }
            (_, Values::Set(values)) => {
                Values::Set(values.iter().copied().filter(|&value| self.contains(value)).collect())
            }
            (Values::Range(a, b), Values::Range(c, d)) => Values::range(*a.max(c), *b.min(d)),
        }
    }

    /// Whether some member is not zero.
    pub fn may_be_true(&self) -> bool {
        match self {
            Values::Set(values) => values.iter().any(|&value| value != 0),
            Values::Range(..) => true,
        }
    }

    /// Whether zero is a member.
    pub fn may_be_false(&self) -> bool {
        self.contains(0)
    }

    /// What a variable of this type holds after one of the values was assigned to it.
    pub fn truncate(&self, scalar: Scalar) -> Values {
        match self {
            Values::Set(values) => {
                Values::from_values(values.iter().map(|&value| scalar.truncate(value)).collect())
            }
            Values::Range(low, high) => {
                let (least, largest) = scalar.range();
                if least <= *low && *high <= largest { self.clone() } else { Values::range(least, largest) }
            }
        }
    }

    /// A set that holds this one and does not grow for ever: bounds jump to those of the type, over a few steps.
    pub fn widen(&self, scalar: Scalar) -> Values {
        let (least, largest) = scalar.range();
        let Some((low, high)) = self.bounds() else { return self.clone() };
        // Most of all it is asked whether something is 0.
        let low = [1, 0, least].into_iter().find(|&step| step <= low).unwrap_or(least).max(least);
        let high = [1, 15, 255, 65_535, largest].into_iter().find(|&step| step >= high).unwrap_or(largest);
        Values::range(low.min(high), high.min(largest).max(low))
    }

    /// `op` applied to every member.
    pub fn unary(&self, op: UnaryOp) -> Values {
        match self {
            Values::Set(values) => {
                Values::from_values(values.iter().map(|&value| arithmetic::unary(op, value)).collect())
            }
            Values::Range(low, high) => match op {
                UnaryOp::Negate if *low > i32::MIN => Values::range(-high, -low),
                UnaryOp::Negate => Values::all(),
                UnaryOp::Complement => Values::range(!high, !low),
                UnaryOp::Not => truth_of(self.may_be_false(), true),
            },
        }
    }

    /// `op` applied to every pair of members.
    pub fn binary(&self, op: BinaryOp, other: &Values) -> Values {
        if self.is_empty() || other.is_empty() {
            return Values::empty();
        }
        // Comparisons hang on the bounds alone, whatever lies between.
        let is_comparison = op.is_comparison();
        if let (Values::Set(left), Values::Set(right)) = (self, other)
            && !is_comparison
            && left.len() * right.len() <= LARGEST_PRODUCT
        {
            let mut results = Vec::with_capacity(left.len() * right.len());
            for &a in left.iter() {
                results.extend(right.iter().filter_map(|&b| arithmetic::binary(op, a, b)));
            }
            return Values::from_values(results);
        }
        let (Some(left), Some(right)) = (self.bounds(), other.bounds()) else { return Values::empty() };
        let (a, b) = (i64::from(left.0), i64::from(left.1));
        let (c, d) = (i64::from(right.0), i64::from(right.1));
        let within = |low: i64, high: i64| match (i32::try_from(low), i32::try_from(high)) {
            (Ok(low), Ok(high)) => Values::range(low, high),
            _ => Values::all(),
        };
        match op {
            BinaryOp::Add => within(a + c, b + d),
            BinaryOp::Subtract => within(a - d, b - c),
            BinaryOp::Multiply => {
                let corners = [a * c, a * d, b * c, b * d];
                within(corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
            }
            BinaryOp::Divide if a >= 0 && c > 0 => within(a / d, b / c),
            BinaryOp::Remainder if a >= 0 && c > 0 => within(0, b.min(d - 1)),
            BinaryOp::Divide | BinaryOp::Remainder => Values::all(),
            BinaryOp::BitAnd if a >= 0 && c >= 0 => within(0, b.min(d)),
            BinaryOp::ShiftRight if a >= 0 && c >= 0 && d < 32 => within(a >> d, b >> c),
            BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => Values::all(),
            BinaryOp::Less => truth_of(a < d, b >= c),
            BinaryOp::LessEqual => truth_of(a <= d, b > c),
            BinaryOp::Greater => truth_of(b > c, a <= d),
            BinaryOp::GreaterEqual => truth_of(b >= c, a < d),
            BinaryOp::Equal => truth_of(self.intersects(other), a != b || c != d || a != c),
            BinaryOp::NotEqual => truth_of(a != b || c != d || a != c, self.intersects(other)),
            BinaryOp::And => truth_of(
                self.may_be_true() && other.may_be_true(),
                self.may_be_false() || other.may_be_false(),
            ),
            BinaryOp::Or => truth_of(
                self.may_be_true() || other.may_be_true(),
                self.may_be_false() && other.may_be_false(),
            ),
        }
    }
}

/// The truth values that are possible.
pub fn truth_of(may_be_true: bool, may_be_false: bool) -> Values {
    let values = [(0, may_be_false), (1, may_be_true)];
    Values::Set(values.into_iter().filter(|(_, may_be)| *may_be).map(|(value, _)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sets_are_exact_and_large_ones_become_intervals() {
        let digits = Values::range(0, 9);
        assert_eq!(
            digits.binary(BinaryOp::Multiply, &Values::single(3)),
            Values::Set((0..10).map(|i| 3 * i).collect())
        );
        assert_eq!(Values::range(0, 1000).binary(BinaryOp::Add, &Values::single(1)), Values::Range(1, 1001));
        assert_eq!(Values::range(0, 1000).binary(BinaryOp::Less, &Values::single(-1)), Values::single(0));
    }

    #[test]
    fn a_byte_that_is_counted_up_at_255_is_0_again() {
        let full = Values::of_type(Scalar::Byte).binary(BinaryOp::Add, &Values::single(1));
        assert_eq!(full, Values::Range(1, 256));
        assert_eq!(full.truncate(Scalar::Byte), Values::Range(0, 255));
        assert_eq!(Values::range(255, 256).truncate(Scalar::Byte), Values::from_values(vec![0, 255]));
    }

    #[test]
    fn division_by_zero_yields_nothing() {
        assert!(Values::single(4).binary(BinaryOp::Divide, &Values::single(0)).is_empty());
        assert_eq!(
            Values::single(4).binary(BinaryOp::Divide, &Values::from_values(vec![0, 2])),
            Values::single(2)
        );
    }

    #[test]
    fn widening_stays_within_the_type() {
        assert_eq!(Values::range(0, 3).widen(Scalar::Byte), Values::range(0, 15));
        assert_eq!(Values::range(0, 16).widen(Scalar::Byte), Values::Range(0, 255));
        assert_eq!(Values::range(2, 16).widen(Scalar::Byte), Values::Range(1, 255));
        assert_eq!(Values::range(-1, 70_000).widen(Scalar::Int), Values::all());
    }
}
