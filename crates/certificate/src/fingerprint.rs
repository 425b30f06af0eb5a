//! The seal of a certificate: SHA-256 of its JSON without the seal. The fingerprint of a model is [`System::fingerprint`].
//!
//! [`System::fingerprint`]: system::automaton::System::fingerprint

use crate::Certificate;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Fingerprint of a certificate without its seal.
pub fn of_certificate(certificate: &Certificate) -> String {
    let unsealed = Certificate { seal: String::new(), ..certificate.clone() };
    let text = serde_json::to_string(&unsealed).unwrap_or_default();
    Sha256::digest(text.as_bytes()).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
