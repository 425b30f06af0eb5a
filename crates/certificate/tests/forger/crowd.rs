//! Any number of processes: certificates that say so are sketched with one and two of each, and whatever is accepted is held against exploration with one
//! to four.

use super::truth::{Explored, Truth};
use super::{Random, Subject};
use certificate::Certificate;
use promela::model::ProctypeId;
use system::automaton::System;
use system::interpreter::Capacities;

/// So many states of each number of processes are looked at for a sketch.
const MOST_STATES: usize = 100;
/// So many processes of each proctype there are, in turn.
const NUMBERS: [u32; 4] = [1, 2, 3, 4];

/// Proctypes of which there are to be any number.
pub struct Crowd {
    /// Their names, in order.
    pub names: Vec<String>,
    /// The model with one of each.
    pub one: System,
    /// What was seen with one and with two of each.
    pub seen: Vec<Explored>,
}

impl Crowd {
    /// Some of the proctypes whose processes start by themselves; mostly none, and rarely where numbers of processes are looked at.
    pub fn choose(subject: &Subject, random: &mut Random) -> Option<Crowd> {
        let unlikely = if certificate::pids::are_observed(&subject.system) { 1 } else { 20 };
        if !random.percent(unlikely) {
            return None;
        }
        let active = subject.system.model.proctypes.iter().filter(|proctype| proctype.active > 0);
        let active: Vec<&String> = active.map(|proctype| &proctype.name).collect();
        let sure = (*random.pick(&active)?).clone();
        let mut names: Vec<String> =
            active.into_iter().filter(|name| **name == sure || random.percent(40)).cloned().collect();
        names.sort();
        let reading = [Capacities::Unbounded, Capacities::Declared, Capacities::Fixed(2)][random.below(3)];
        let seen = [1, 2]
            .map(|number| Explored::new(&with_each(&subject.system, &names, number), reading, MOST_STATES));
        let seen = seen.into_iter().collect::<Option<_>>()?;
        Some(Crowd { one: with_each(&subject.system, &names, 1), names, seen })
    }
}

fn with_each(system: &System, names: &[String], number: u32) -> System {
    let proctypes = (0..).map(ProctypeId).zip(&system.model.proctypes);
    let named = proctypes.filter(|(_, proctype)| names.contains(&proctype.name)).map(|(id, _)| (id, number));
    system.clone().with_active(named.collect::<Vec<_>>())
}

/// What is true of one model with several numbers of processes; kept while the same question is asked again.
#[derive(Default)]
pub struct Crowds {
    asked: Option<(String, Vec<String>)>,
    truths: Vec<(u32, System, Truth)>,
}

impl Crowds {
    /// Why a certificate that speaks of any number of processes, and was accepted, is false.
    pub fn contradiction(
        &mut self,
        subject: &Subject,
        certificate: &Certificate,
        random: &mut Random,
    ) -> Option<String> {
        let asked = (subject.truth.fingerprint.clone(), certificate.any_number.clone());
        if self.asked.as_ref() != Some(&asked) {
            let of = |number| {
                let system = with_each(&subject.system, &certificate.any_number, number);
                Truth::new(&system).map(|truth| (number, system, truth))
            };
            self.truths = NUMBERS.into_iter().filter_map(of).collect();
            self.asked = Some(asked);
        }
        self.truths.iter().find_map(|(number, system, truth)| {
            let what = truth.contradiction(system, certificate, random)?;
            Some(format!("{what} with {number} processes of each of {:?}", certificate.any_number))
        })
    }
}
