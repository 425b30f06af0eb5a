//! Claims, verdicts, traces, potentials, and their checker, in exact integers.
//!
//! A [`Certificate`] is an inductive invariant ([`claims`]) and potentials ([`potential`]) that together prove something of a
//! model. [`check`](check::check) believes nothing of it. Where a certificate came from does not matter.
//!
//! Deliberately absent: any solver, any search, any value analysis. The crate depends on `system` alone, and on `promela` for the
//! data types of the statements that a system consists of.

// The forger of the integration tests calls the crate by its name, in the tests of the crate itself, too.
#[cfg(test)]
extern crate self as certificate;

pub mod check;
pub mod claims;
pub mod fingerprint;
pub mod formula;
pub mod monitor;
pub mod pids;
pub mod potential;
pub mod prefix;
pub mod pump;
pub mod read;
pub mod schema;
pub mod trace;
pub mod values;
pub mod verdict;
pub mod words;

use claims::Claims;
use potential::Proof;
use serde::{Deserialize, Serialize};
use system::automaton::System;
use verdict::Capacities;

/// The only schema that this version reads and writes.
pub const SCHEMA: &str = "plimsoll-certificate/2";

/// Claims and proofs for one model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`SCHEMA`].
    pub schema: String,
    /// Fingerprint of the model: [`System::fingerprint`].
    pub model: String,
    /// Fingerprint of everything else in the certificate: [`Certificate::seal`] sets it. It catches accidents and edits, not
    /// forgers: what makes a certificate true is checked on its own.
    pub seal: String,
    /// For which capacities.
    pub capacities: Capacities,
    /// Proctypes of which any number of processes, at least one, start by themselves, whatever number the model gives; ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any_number: Vec<String>,
    /// The invariant.
    pub claims: Claims,
    /// What is proved with it.
    pub proofs: Vec<Proof>,
}

impl Certificate {
    /// A sealed certificate for the model.
    pub fn new(system: &System, capacities: Capacities, claims: Claims, proofs: Vec<Proof>) -> Self {
        let mut certificate = Certificate::unsealed(system, capacities, claims, proofs);
        certificate.seal();
        certificate
    }

    /// A certificate for the model that is to be checked before it is worth a seal.
    pub fn unsealed(system: &System, capacities: Capacities, claims: Claims, proofs: Vec<Proof>) -> Self {
        Certificate {
            schema: SCHEMA.to_string(),
            model: system.fingerprint().to_string(),
            seal: String::new(),
            capacities,
            any_number: Vec::new(),
            claims,
            proofs,
        }
    }

    /// Sets the seal to what the rest of the certificate asks for.
    pub fn seal(&mut self) {
        self.seal = fingerprint::of_certificate(self);
    }
}
