//! The numbers that somebody else has given to values, and which of ours they are.

use super::share::Interruption;
use crate::disk::values::{ValueEntry, read_new};
use crate::packed::components::{ComponentId, Components};
use crate::packed::layout::{Field, Layout, MOST_WORDS};

/// A field as it is written down: word, first bit, width.
pub type FieldNumbers = (u32, u32, u32);

/// Somebody else's numbers.
#[derive(Default)]
pub struct Numbering {
    /// How many values of each of their components we had.
    had: Vec<usize>,
    /// By their component: which of ours it is, and our numbers by theirs.
    known: Vec<(ComponentId, Vec<u32>)>,
    fields: Vec<Field>,
    words: usize,
    /// From their layout to one of ours.
    routes: Vec<Route>,
    /// Which of ours.
    routes_to: u32,
}

/// Where a number is taken from, what it is looked up in, and where it goes.
#[derive(Clone, Copy)]
struct Route {
    from: Field,
    component: u32,
    to: Field,
}

impl Numbering {
    /// Learns values that were written down in the order of their numbers; `None` if they make no sense.
    pub fn learn(&mut self, values: &[u8], components: &mut Components) -> Option<()> {
        let known = &mut self.known;
        read_new(values, &mut self.had, |number, entry| note(known, number, entry, components))
    }

    /// Learns one value.
    pub fn learn_entry(&mut self, number: u32, entry: ValueEntry, components: &mut Components) -> Option<()> {
        note(&mut self.known, number, entry, components)
    }

    /// Their layout from now on; `None` if it is none.
    pub fn set_layout(&mut self, fields: Vec<FieldNumbers>, words: usize) -> Option<()> {
        let is_field = |&(word, shift, width): &FieldNumbers| {
            (word as usize) < words && width <= 32 && shift.checked_add(width).is_some_and(|end| end <= 64)
        };
        if !(1..=MOST_WORDS).contains(&words) || !fields.iter().all(is_field) {
            return None;
        }
        self.fields = fields.into_iter().map(|(word, shift, width)| Field { word, shift, width }).collect();
        self.words = words;
        self.routes.clear();
        Some(())
    }

    /// Words of their states.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Our layout is another one from now on.
    pub fn forget_routes(&mut self) {
        self.routes.clear();
    }

    /// Prepares for states in our layout, which has a number.
    pub fn aim(&mut self, layout: &Layout, number: u32) -> Result<(), Interruption> {
        if !self.routes.is_empty() && self.routes_to == number {
            return Ok(());
        }
        self.routes.clear();
        for (component, &from) in self.fields.iter().enumerate().filter(|(_, field)| field.width > 0) {
            let &(ours, _) = self.known.get(component).ok_or(Interruption::Garbled)?;
            self.routes.push(Route { from, component: component as u32, to: layout.field(ours) });
        }
        self.routes_to = number;
        Ok(())
    }

    /// A state of theirs in the layout that was aimed at, in which all of our numbers fit.
    #[inline]
    pub fn translate<const N: usize>(&self, theirs: &[u64]) -> Result<[u64; N], Interruption> {
        let mut state = [0; N];
        for &Route { from, component, to } in &self.routes {
            let number = (theirs[from.word as usize] & from.mask()) >> from.shift;
            let numbers = &self.known[component as usize].1;
            let number = *numbers.get(number as usize).ok_or(Interruption::Garbled)?;
            // What has no bits has a single value.
            state[to.word as usize] |= u64::from(number) << to.shift;
        }
        Ok(state)
    }
}

fn note(
    known: &mut Vec<(ComponentId, Vec<u32>)>,
    number: u32,
    entry: ValueEntry,
    components: &mut Components,
) -> Option<()> {
    let ValueEntry { component, kind, value } = entry;
    let (ours, our_number) = components.intern(kind, &value)?;
    if component.0 as usize == known.len() {
        known.push((ours, Vec::new()));
    }
    let (component, numbers) = known.get_mut(component.0 as usize)?;
    if *component != ours || numbers.len() != number as usize {
        return None;
    }
    // Whoever has no bits for a component means its first value, and so do we.
    if number == 0 && our_number != 0 {
        return None;
    }
    numbers.push(our_number);
    Some(())
}
