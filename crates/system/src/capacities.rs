//! How large buffers are, and for which sizes something is said. A channel that is declared with capacity 0 is a rendezvous in every
//! reading.

use std::fmt;
use std::str::FromStr;

/// How many messages fit into a buffer: what one run has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Capacities {
    /// As the source says.
    Declared,
    /// The same number for every buffer.
    Fixed(u32),
    /// Any number.
    Unbounded,
}

/// For which capacities something is said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CapacityReading {
    /// Whatever they are, those of each declaration on its own, and without limits.
    Any,
    /// As declared.
    Declared,
    /// The same number for every buffer.
    Fixed(u32),
    /// Without limit.
    Unbounded,
}

impl CapacityReading {
    /// The capacities of the runs that are spoken of, if all have the same.
    pub fn of_runs(self) -> Option<Capacities> {
        match self {
            CapacityReading::Any => None,
            CapacityReading::Declared => Some(Capacities::Declared),
            CapacityReading::Fixed(size) => Some(Capacities::Fixed(size)),
            CapacityReading::Unbounded => Some(Capacities::Unbounded),
        }
    }
}

impl From<Capacities> for CapacityReading {
    fn from(capacities: Capacities) -> CapacityReading {
        match capacities {
            Capacities::Declared => CapacityReading::Declared,
            Capacities::Fixed(size) => CapacityReading::Fixed(size),
            Capacities::Unbounded => CapacityReading::Unbounded,
        }
    }
}

impl fmt::Display for CapacityReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CapacityReading::Any => write!(f, "any"),
            CapacityReading::Declared => write!(f, "declared"),
            CapacityReading::Fixed(size) => write!(f, "{size}"),
            CapacityReading::Unbounded => write!(f, "unbounded"),
        }
    }
}

impl FromStr for CapacityReading {
    type Err = String;

    fn from_str(text: &str) -> Result<CapacityReading, String> {
        match text {
            "any" => Ok(CapacityReading::Any),
            "declared" => Ok(CapacityReading::Declared),
            "unbounded" => Ok(CapacityReading::Unbounded),
            number => match number.parse() {
                Ok(0) => Err("a buffer of no capacity would be a rendezvous".to_string()),
                Ok(size) => Ok(CapacityReading::Fixed(size)),
                Err(_) => Err(format!(
                    "`{text}` is none of `any`, `unbounded`, `declared` and a number of messages"
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_read_as_it_is_written() {
        use CapacityReading::{Any, Declared, Fixed, Unbounded};
        for reading in [Any, Declared, Fixed(3), Unbounded] {
            assert_eq!(reading.to_string().parse(), Ok(reading));
        }
        assert!("0".parse::<CapacityReading>().is_err());
        assert!("-1".parse::<CapacityReading>().is_err());
    }
}
