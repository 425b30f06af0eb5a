//! A forger: certificates composed of everything that the format can say, tried on small models, and whatever the checker accepts
//! held against exploration.
//!
//! A forged certificate begins as a crude sketch of the truth (sets of values and messages that were seen while the model ran, graphs of
//! locations, potentials by longest paths), because nonsense is refused by the first rule and tests no other. Then groups are doubled, emptied
//! and merged, nodes split, shadows, trackers and invariants added, trees grown, and the JSON of the whole is changed at random places: numbers at the edges
//! of every width, elements left out, doubled, exchanged, whole parts of other certificates in the place of its own. It is sealed at the end.
#![allow(dead_code)]

mod compose;
mod crowd;
mod mangle;
pub mod models;
pub mod runs;
mod temporal;
mod truth;

use certificate::Certificate;
use certificate::check::check;
use compose::Composer;
use crowd::{Crowd, Crowds};
use mangle::Mangler;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use system::automaton::System;
pub use truth::Truth;

/// A small generator of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound.max(1) as u64) as usize
    }

    /// True once in a hundred for each percent.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }
}

/// A model and what is true of it.
pub struct Subject {
    /// Its text.
    pub text: String,
    /// Its automata.
    pub system: System,
    /// What exploration shows.
    pub truth: Truth,
}

impl Subject {
    /// Reads and explores a model; `None` if it is none, or has an error at the start.
    pub fn new(text: &str) -> Option<Subject> {
        let system = models::read(text)?;
        let truth = Truth::new(&system)?;
        Some(Subject { text: text.to_string(), system, truth })
    }
}

/// So many small models: those by hand, and some at random, with formulas.
pub fn subjects(count: usize, random: &mut Random) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for text in models::BY_HAND {
        subjects.extend(Subject::new(&models::with_formulas(text, random)));
    }
    while subjects.len() < count {
        let text = models::random(random);
        subjects.extend(Subject::new(&models::with_formulas(&text, random)));
    }
    subjects
}

/// What became of the certificates.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many were sealed and tried.
    pub tried: u64,
    /// How many of them were accepted and are true, as far as exploration goes.
    pub true_ones: u64,
    /// How many of these say something, by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Refused, by rule.
    pub refused: BTreeMap<String, u64>,
    /// Accepted and false, or a panic: what is wrong, the model, the certificate.
    pub false_ones: Vec<(String, String, String)>,
}

/// Is told the model by its number, each certificate, and whether the checker accepts it.
pub type Witness<'w> = dyn FnMut(usize, &Certificate, bool) + 'w;

/// Forges so many certificates for the models, and stops at the third that is accepted although it is false.
pub fn forge(subjects: &[Subject], count: u64, seed: u64, witness: &mut Witness) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    let mut mangler = Mangler::default();
    let mut crowds = Crowds::default();
    while tally.tried < count && tally.false_ones.len() < 3 {
        let number = random.below(subjects.len());
        let Some(subject) = subjects.get(number) else { break };
        let crowd = Crowd::choose(subject, &mut random);
        let mut composer = Composer::new(subject, crowd.as_ref(), &mut random);
        let drawn = composer.certificate();
        mangler.learn(&drawn, &mut random);
        // The same sketch several times: composing costs more than changing.
        for round in 0..8 {
            let changed = match round {
                0 => Some(drawn.clone()),
                _ => mangler.changed(&drawn, &mut random),
            };
            let Some(mut certificate) = changed else { continue };
            certificate.model.clone_from(&subject.truth.fingerprint);
            certificate.seal();
            tally.tried += 1;
            let before = tally.true_ones + tally.false_ones.len() as u64;
            judge(subject, &certificate, &mut crowds, &mut random, &mut tally);
            let after = tally.true_ones + tally.false_ones.len() as u64;
            witness(number, &certificate, after > before);
        }
    }
    tally
}

/// Whether the checker accepts a certificate that is false.
fn judge(
    subject: &Subject,
    certificate: &Certificate,
    crowds: &mut Crowds,
    random: &mut Random,
    tally: &mut Tally,
) {
    let result = catch_unwind(AssertUnwindSafe(|| check(&subject.system, certificate)));
    let false_one = |what: String| {
        let text = serde_json::to_string(certificate).unwrap_or_default();
        (what, subject.text.clone(), text)
    };
    match result {
        Err(_) => tally.false_ones.push(false_one("the checker panics".into())),
        Ok(Err(refusal)) => {
            let rule = refusal.rule().map_or("cancelled".into(), |rule| rule.to_string());
            *tally.refused.entry(rule).or_default() += 1;
        }
        Ok(Ok(_)) => {
            let contradiction = match certificate.any_number.is_empty() {
                true => subject.truth.contradiction(&subject.system, certificate, random),
                false => crowds.contradiction(subject, certificate, random),
            };
            if let Some(what) = contradiction {
                tally.false_ones.push(false_one(what));
                return;
            }
            tally.true_ones += 1;
            for kind in truth::kinds(certificate) {
                *tally.kinds.entry(kind).or_default() += 1;
            }
        }
    }
}
