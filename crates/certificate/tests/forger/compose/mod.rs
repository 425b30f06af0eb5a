//! A sketch of a certificate from what was seen while the model ran: [`sketch`] draws the claims, [`arcs`] what the statements do, [`weights`]
//! potentials, [`proofs`] and [`formulas`] what is said; [`numbers`], [`shadows`] and [`lies`] make it worse.

mod arcs;
mod formulas;
mod lies;
mod numbers;
mod proofs;
mod shadows;
mod sketch;
mod weights;

use super::crowd::Crowd;
use super::{Random, Subject};
use arcs::Arc;
use certificate::Certificate;
use certificate::claims::{Claims, ObjectPlace};
use certificate::potential::Proof;
use certificate::verdict::Capacities;
use sketch::Members;
use system::automaton::System;
use system::state::State;

/// A certificate without lies but in what it says of a formula.
const FORMULAS: usize = 5;
/// One that speaks of numbers.
const NUMBERS: usize = 6;

/// Draws one certificate.
pub struct Composer<'a> {
    system: &'a System,
    /// Proctypes of which there are to be any number.
    any_number: &'a [String],
    states: Vec<&'a State>,
    random: &'a mut Random,
    groups: Vec<Members>,
    objects: Vec<ObjectPlace>,
    claims: Claims,
    arcs: Vec<Arc>,
}

impl<'a> Composer<'a> {
    /// Looks at one or several readings, or at what any number of processes do.
    pub fn new(subject: &'a Subject, crowd: Option<&'a Crowd>, random: &'a mut Random) -> Composer<'a> {
        let explored = &subject.truth.explored;
        let seen = match (crowd, random.below(3)) {
            (Some(crowd), _) => &crowd.seen[..],
            (None, 0) => &explored[..],
            (None, 1) => &explored[..1],
            (None, _) => &explored[1..4],
        };
        let states = seen.iter().flat_map(|seen| seen.states.iter().take(150)).collect();
        Composer {
            system: crowd.map_or(&subject.system, |crowd| &crowd.one),
            any_number: crowd.map_or(&[], |crowd| &crowd.names),
            states,
            random,
            groups: vec![],
            objects: vec![],
            claims: Claims::default(),
            arcs: vec![],
        }
    }

    /// A certificate that may be true or not.
    pub fn certificate(&mut self) -> Certificate {
        self.choose_groups();
        self.choose_objects();
        self.see_values();
        self.draw_nodes();
        self.draw_arcs();
        // One thing at a time, mostly: what is wrong with one hides what is wrong with another.
        let focus = [0, 1, 2, 3, 4, FORMULAS, NUMBERS, NUMBERS, 7, 8, 9, 10][self.random.below(12)];
        let mut is_on = |kind: usize, percent: usize| match focus {
            0..=NUMBERS => focus == kind,
            _ => self.random.percent(percent),
        };
        let [shadow, tracker, invariant, forget, attack, numbers] =
            [(0, 12), (1, 25), (2, 12), (3, 12), (4, 30), (NUMBERS, 20)]
                .map(|(kind, percent)| is_on(kind, percent));
        if shadow {
            self.add_shadow();
        }
        if tracker {
            self.add_tracker();
        }
        // Nobody speaks of numbers where there are any number of processes, but for one who tries.
        if numbers && (self.any_number.is_empty() || self.random.percent(5)) {
            self.add_numbers();
        }
        if invariant || (numbers && self.random.percent(25)) {
            self.add_bar();
        }
        if forget {
            self.forget_a_channel();
        }
        let mut proofs = self.starts();
        if attack {
            proofs.extend(self.attack());
        }
        // A proof that needs no more than the claims, so that these are what is tried; or others.
        let plain = focus == 0 || (focus != FORMULAS && focus != NUMBERS && self.random.percent(30));
        let plain = if plain { self.plain() } else { None };
        let others = if plain.is_some() { 0 } else { 1 + self.random.below(2) };
        proofs.extend(plain);
        let capacities = if self.random.percent(75) { Capacities::Any } else { Capacities::Declared };
        for _ in 0..others {
            let proof = match self.random.below(100) {
                0..25 if focus == FORMULAS => Some(self.fair_progress(capacities, &proofs)),
                _ if focus == FORMULAS => self.formula(capacities, &proofs),
                0..25 => self.audacious(),
                _ if focus == NUMBERS => self.proof(),
                25..55 => self.formula(capacities, &proofs),
                55..62 => Some(self.fair_progress(capacities, &proofs)),
                _ => self.proof(),
            };
            proofs.extend(proof);
        }
        self.draft(capacities, proofs)
    }

    /// What was drawn so far, with these proofs and without a seal.
    fn draft(&self, capacities: Capacities, proofs: Vec<Proof>) -> Certificate {
        Certificate {
            any_number: self.any_number.to_vec(),
            schema: certificate::SCHEMA.to_string(),
            model: String::new(),
            seal: String::new(),
            capacities,
            claims: self.claims.clone(),
            proofs,
        }
    }

    /// Whether there are to be any number of processes of an automaton.
    fn is_crowd(&self, automaton: u32) -> bool {
        self.any_number.contains(&self.system.automata[automaton as usize].name)
    }
}
