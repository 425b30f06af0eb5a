//! The seal of a certificate: SHA-256 of its JSON without the seal. The fingerprint of a model is [`System::fingerprint`].
//!
//! [`System::fingerprint`]: system::automaton::System::fingerprint

use crate::Certificate;
use crate::claims::Claims;
use crate::potential::Proof;
use crate::verdict::Capacities;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io;

/// A certificate whose seal is empty; its JSON is that of such a [`Certificate`]. Nothing is copied for it.
#[derive(Serialize)]
struct Unsealed<'c> {
    schema: &'c str,
    model: &'c str,
    seal: &'static str,
    capacities: Capacities,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    any_number: &'c [String],
    claims: &'c Claims,
    proofs: &'c [Proof],
}

/// Digests what is written to it.
struct Digesting(Sha256);

impl io::Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fingerprint of a certificate without its seal.
pub fn of_certificate(certificate: &Certificate) -> String {
    let Certificate { schema, model, seal: _, capacities, any_number, claims, proofs } = certificate;
    let unsealed = Unsealed { schema, model, seal: "", capacities: *capacities, any_number, claims, proofs };
    let mut text = io::BufWriter::with_capacity(1 << 14, Digesting(Sha256::new()));
    // Neither writing nor the certificate can fail.
    let _ = serde_json::to_writer(&mut text, &unsealed);
    let Ok(Digesting(digest)) = text.into_inner() else { return String::new() };
    digest.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;

    #[test]
    fn a_seal_is_the_digest_of_the_certificate_as_json_with_an_empty_seal() {
        for any_number in [Vec::new(), vec!["P".to_string()]] {
            let mut certificate = Certificate {
                schema: SCHEMA.to_string(),
                model: "a model".to_string(),
                seal: String::new(),
                capacities: Capacities::Any,
                any_number,
                claims: Claims::default(),
                proofs: Vec::new(),
            };
            let text = serde_json::to_string(&certificate).expect("JSON");
            let digest: String =
                Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
            certificate.seal();
            assert_eq!(certificate.seal, digest);
            certificate.seal();
            assert_eq!(certificate.seal, digest, "the seal itself is not in it");
        }
    }
}
