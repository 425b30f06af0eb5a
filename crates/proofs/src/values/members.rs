//! The members of a small set.
//!
//! An analysis copies frames of variables all the time, and most sets have one or two members: those are kept in place, and larger lists are shared
//! by all copies. Nothing changes a list once it is made.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// So many fit where a pointer to a list would be, with its length.
const IN_PLACE: usize = 5;

/// A list of integers that is cheap to copy.
#[derive(Clone)]
pub struct Members(Kept);

#[derive(Clone)]
enum Kept {
    InPlace(u8, [i32; IN_PLACE]),
    Shared(Arc<[i32]>),
}

impl Deref for Members {
    type Target = [i32];

    fn deref(&self) -> &[i32] {
        match &self.0 {
            Kept::InPlace(count, values) => &values[..*count as usize],
            Kept::Shared(values) => values,
        }
    }
}

impl FromIterator<i32> for Members {
    fn from_iter<T: IntoIterator<Item = i32>>(values: T) -> Members {
        let (mut count, mut first) = (0, [0; IN_PLACE]);
        let mut values = values.into_iter();
        while let Some(value) = values.next() {
            if count == IN_PLACE {
                let all = first.into_iter().chain([value]).chain(values);
                return Members(Kept::Shared(all.collect()));
            }
            first[count] = value;
            count += 1;
        }
        Members(Kept::InPlace(count as u8, first))
    }
}

impl From<Vec<i32>> for Members {
    fn from(values: Vec<i32>) -> Members {
        values.into_iter().collect()
    }
}

impl<const N: usize> From<[i32; N]> for Members {
    fn from(values: [i32; N]) -> Members {
        values.into_iter().collect()
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Members) -> bool {
        **self == **other
    }
}

impl Eq for Members {}

impl PartialOrd for Members {
    fn partial_cmp(&self, other: &Members) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Members {
    fn cmp(&self, other: &Members) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Members {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_what_was_put_in() {
        for length in 0..12 {
            let values: Vec<i32> = (0..length).map(|i| 3 * i - 4).collect();
            let members = Members::from(values.clone());
            assert_eq!(&members[..], &values[..]);
            assert_eq!(members, values.iter().copied().collect());
            assert_eq!(members.cmp(&Members::from([-1])), values[..].cmp(&[-1]));
        }
    }
}
