//! States on their way to their owner: a checksum, the values and the layout that the receiver has not had yet, and the states, sorted,
//! each as its difference from the one before, as in a file.

use super::numbering::FieldNumbers;
use crate::disk::run::{read_number, write_number, write_state};
use crate::disk::values::write_new;
use crate::packed::components::Components;
use crate::packed::layout::Layout;

/// Bytes of a parcel at the most: whoever receives more has not received a parcel. Values that are new may take many.
pub const MOST_BYTES: usize = 64 << 20;

/// What came from another member makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Garbled {
    /// From which.
    pub from: usize,
    /// In words.
    pub what: &'static str,
}

/// What a receiver was told.
#[derive(Default)]
pub struct Told {
    /// How many values of each component.
    values: Vec<usize>,
    /// Which layout.
    layout: u32,
}

/// A parcel that was opened.
pub struct Parcel<'p> {
    /// Values that are new.
    pub values: &'p [u8],
    /// Places of components and words of a state, if there is a new layout.
    pub layout: Option<(Vec<FieldNumbers>, usize)>,
    /// How many states.
    pub count: u64,
    /// They.
    pub states: &'p [u8],
}

/// Makes a parcel of states, which are sorted and without repetitions.
pub fn close<const N: usize>(
    states: &[[u64; N]],
    (layout, number): (&Layout, u32),
    components: &Components,
    told: &mut Told,
) -> Vec<u8> {
    let mut values = Vec::new();
    write_new(&mut values, components, &mut told.values);
    let mut bytes = vec![0; 4];
    write_number(&mut bytes, values.len() as u64);
    bytes.extend(values);
    if told.layout == number {
        write_number(&mut bytes, 0);
    } else {
        told.layout = number;
        write_number(&mut bytes, N as u64);
        let fields: Vec<_> = layout.fields().collect();
        write_number(&mut bytes, fields.len() as u64);
        for (_, field) in fields {
            [field.word, field.shift, field.width]
                .into_iter()
                .for_each(|number| write_number(&mut bytes, number.into()));
        }
    }
    write_number(&mut bytes, states.len() as u64);
    let mut before = [0; N];
    states.iter().for_each(|state| write_state(&mut bytes, &mut before, state));
    let checksum = crc32fast::hash(&bytes[4..]);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Opens a parcel. The error is in words.
pub fn open(bytes: &[u8]) -> Result<Parcel<'_>, &'static str> {
    let (checksum, rest) = bytes.split_at_checked(4).ok_or("a parcel is cut off")?;
    if crc32fast::hash(rest).to_le_bytes() != checksum {
        return Err("the checksum of a parcel is wrong");
    }
    parts(rest).ok_or("a parcel is cut off")
}

fn parts(bytes: &[u8]) -> Option<Parcel<'_>> {
    let mut position = 0;
    let length = usize::try_from(read_number(bytes, &mut position)?).ok()?;
    let values = bytes.get(position..position.checked_add(length)?)?;
    position += length;
    let layout = match read_number(bytes, &mut position)? {
        0 => None,
        words => {
            let mut number = || read_number(bytes, &mut position);
            let fields: Option<Vec<FieldNumbers>> = (0..number()?)
                .map(|_| {
                    let mut number = || number().and_then(|number| u32::try_from(number).ok());
                    Some((number()?, number()?, number()?))
                })
                .collect();
            Some((fields?, usize::try_from(words).ok()?))
        }
    };
    let count = read_number(bytes, &mut position)?;
    Some(Parcel { values, layout, count, states: &bytes[position..] })
}
