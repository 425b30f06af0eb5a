//! Fingerprints: SHA-256 (FIPS 180-4), written out here because the trusted part should depend on little.

use crate::Certificate;
use std::fmt::Write;
use system::automaton::System;

/// Fingerprint of everything in a model that a certificate speaks of: variables, channels, proctypes and the automata with
/// all their statements and places in the text. Names of files are not part of it, comments are only as far as
/// they move statements.
pub fn of_system(system: &System) -> String {
    let mut hash = Sha256::new();
    let model = &system.model;
    // `Debug` of plain data is a text form that mentions every field: nothing can be forgotten when a field is added.
    let mut text = String::new();
    let _ = write!(text, "{:?}\n{:?}\n{:?}\n", model.mtype_sets, model.channel_types, model.globals);
    let _ = write!(text, "{:?}\n{:?}\n{:?}\n", model.features, model.typedefs, system.global_slots);
    hash.update(text.as_bytes());
    for proctype in &model.proctypes {
        text.clear();
        let head = (&proctype.name, proctype.active, proctype.parameters, &proctype.priority);
        let _ = writeln!(text, "{head:?} {:?} {:?}", proctype.locals, proctype.provided);
        hash.update(text.as_bytes());
    }
    for automaton in &system.automata {
        text.clear();
        let _ = writeln!(text, "{automaton:?}");
        hash.update(text.as_bytes());
    }
    hash.finish()
}

/// Fingerprint of a certificate without its seal.
pub fn of_certificate(certificate: &Certificate) -> String {
    let unsealed = Certificate { seal: String::new(), ..certificate.clone() };
    let text = serde_json::to_string(&unsealed).unwrap_or_default();
    let mut hash = Sha256::new();
    hash.update(text.as_bytes());
    hash.finish()
}

/// A running SHA-256.
struct Sha256 {
    state: [u32; 8],
    block: Vec<u8>,
    length: u64,
}

impl Sha256 {
    fn new() -> Self {
        // The first 32 bits of the fractional parts of the square roots of the first eight primes.
        let state = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ];
        Sha256 { state, block: Vec::with_capacity(64), length: 0 }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        for &byte in bytes {
            self.push(byte);
        }
    }

    fn push(&mut self, byte: u8) {
        self.block.push(byte);
        if self.block.len() == 64 {
            self.compress();
            self.block.clear();
        }
    }

    fn finish(mut self) -> String {
        let bits = self.length.wrapping_mul(8);
        self.push(0x80);
        while self.block.len() != 56 {
            self.push(0);
        }
        for byte in bits.to_be_bytes() {
            self.push(byte);
        }
        let mut text = String::with_capacity(64);
        for word in self.state {
            let _ = write!(text, "{word:08x}");
        }
        text
    }

    fn compress(&mut self) {
        let mut w = [0u32; 64];
        for (i, chunk) in self.block.chunks_exact(4).enumerate() {
            w[i] = u32::from_be_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        }
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        for i in 0..64 {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 =
                h.wrapping_add(s1).wrapping_add(choice).wrapping_add(ROUND_CONSTANTS[i]).wrapping_add(w[i]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let t2 = s0.wrapping_add(majority);
            h = g;
            g = f;
            f = e;
            e = d.wrapping_add(t1);
            d = c;
            c = b;
            b = a;
            a = t1.wrapping_add(t2);
        }
        for (word, add) in self.state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(add);
        }
    }
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const ROUND_CONSTANTS: [u32; 64] = round_constants();

/// Computes the constants exactly: the integer cube root of p·2^96 has the wanted bits at its low end.
const fn round_constants() -> [u32; 64] {
    let mut constants = [0u32; 64];
    let mut found = 0;
    let mut candidate: u128 = 2;
    while found < 64 {
        let mut divisor = 2;
        let mut prime = true;
        while divisor * divisor <= candidate {
            if candidate.is_multiple_of(divisor) {
                prime = false;
            }
            divisor += 1;
        }
        if prime {
            let scaled = candidate << 96;
            let mut root: u128 = 0;
            let mut bit: u128 = 1 << 35;
            while bit > 0 {
                let next = root | bit;
                if next * next * next <= scaled {
                    root = next;
                }
                bit >>= 1;
            }
            constants[found] = root as u32;
            found += 1;
        }
        candidate += 1;
    }
    constants
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(text.as_bytes());
        hash.finish()
    }

    #[test]
    fn the_standard_s_examples() {
        assert_eq!(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(
            hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
    }
}
