//! What is known of every slot at one moment: a set of values each.
//!
//! An [`Environment`] is the claims of a group and of the globals, with a few slots known better or changed. Only those few are
//! stored, because a model may have thousands of globals and a statement looks at two.

use crate::claims::SlotValues;
use crate::values::Values;
use promela::model::Frame;

/// Sets of values for all slots that one process sees.
#[derive(Clone, Debug)]
pub struct Environment<'a> {
    /// What the claims say of the local frame.
    base_locals: &'a [Values],
    /// What the claims say of the global frame.
    base_globals: &'a [Values],
    /// Local slots about which more is known, sorted.
    locals: Vec<(u32, Values)>,
    /// Global slots about which more is known, sorted.
    globals: Vec<(u32, Values)>,
    /// What `_pid` may be.
    pub pid: &'a Values,
}

impl<'a> Environment<'a> {
    /// What the claims say, and nothing more.
    pub fn new(base_locals: &'a [Values], base_globals: &'a [Values], pid: &'a Values) -> Self {
        Environment { base_locals, base_globals, locals: Vec::new(), globals: Vec::new(), pid }
    }

    /// The values of a slot; nothing is known to be possible of a slot that does not exist.
    pub fn get(&self, frame: Frame, slot: u32) -> Values {
        self.known(frame)
            .binary_search_by_key(&slot, |entry| entry.0)
            .map(|at| self.known(frame)[at].1.clone())
            .unwrap_or_else(|_| self.claimed(frame, slot))
    }

    /// What the claims say of a slot.
    pub fn claimed(&self, frame: Frame, slot: u32) -> Values {
        let base = match frame {
            Frame::Global => self.base_globals,
            Frame::Local => self.base_locals,
        };
        base.get(slot as usize).cloned().unwrap_or_default()
    }

    /// From now on the slot has these values.
    pub fn set(&mut self, frame: Frame, slot: u32, values: Values) {
        let known = match frame {
            Frame::Global => &mut self.globals,
            Frame::Local => &mut self.locals,
        };
        match known.binary_search_by_key(&slot, |entry| entry.0) {
            Ok(at) => known[at].1 = values,
            Err(at) => known.insert(at, (slot, values)),
        }
    }

    /// Keeps of each listed slot only the listed values; false if one has none left.
    pub fn narrow(&mut self, frame: Frame, listed: &[SlotValues]) -> bool {
        for entry in listed {
            let values = self.get(frame, entry.slot).intersection(&entry.values);
            if values.is_empty() {
                return false;
            }
            self.set(frame, entry.slot, values);
        }
        true
    }

    /// Slots of a frame about which more is known than the claims say, or which were written.
    pub fn known(&self, frame: Frame) -> &[(u32, Values)] {
        match frame {
            Frame::Global => &self.globals,
            Frame::Local => &self.locals,
        }
    }
}
