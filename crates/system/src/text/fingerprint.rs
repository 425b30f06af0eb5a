//! The fingerprint of a system: SHA-256 of its text form.

use super::write::{Comments, write_to};
use crate::automaton::System;
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};
use std::sync::OnceLock;

/// Where a system keeps its fingerprint once somebody has asked for it. A copy of a system starts without one, because whoever
/// copies may change.
#[derive(Debug, Default)]
pub struct Fingerprint(OnceLock<String>);

impl Clone for Fingerprint {
    fn clone(&self) -> Self {
        Fingerprint::default()
    }
}

impl System {
    /// SHA-256 of the [text form](crate::text::write), in hexadecimal: two systems with the same fingerprint behave the same, and are
    /// spoken of with the same names.
    pub fn fingerprint(&self) -> &str {
        self.fingerprint.0.get_or_init(|| {
            let mut hash = Hash(Sha256::new());
            // Hashing does not fail.
            let _ = write_to(self, Comments::None, &mut hash);
            hash.0.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
        })
    }
}

struct Hash(Sha256);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
