//! The automaton of the runs that violate a formula, held against the meaning of the formula on words that repeat.

mod common;

use certificate::check::global_slots;
use certificate::formula::Violations;
use common::system;
use promela::model::{Expr, ExprKind, Ltl};
use system::automaton::System;

/// Letters, and the position with which the last one goes on. A letter has a bit for each global slot.
struct Word {
    letters: Vec<u32>,
    back_to: usize,
}

impl Word {
    fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back_to }
    }

    fn all(&self, holds: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.letters.len()).map(holds).collect()
    }

    /// At which positions the formula holds.
    fn holds(&self, formula: &Ltl) -> Vec<bool> {
        let not = |of: Vec<bool>| of.into_iter().map(|is| !is).collect::<Vec<_>>();
        let always = || vec![true; self.letters.len()];
        let both = |a: &Ltl, b: &Ltl| (self.holds(a), self.holds(b));
        match formula {
            Ltl::Proposition(expr) => self.all(|at| self.is_true(expr, at)),
            Ltl::Not(a) => not(self.holds(a)),
            Ltl::Next(a) => {
                let a = self.holds(a);
                self.all(|at| a[self.next(at)])
            }
            Ltl::Eventually(a) => self.until(&always(), &self.holds(a)),
            Ltl::Always(a) => not(self.until(&always(), &not(self.holds(a)))),
            Ltl::And(a, b) => {
                let (a, b) = both(a, b);
                self.all(|at| a[at] && b[at])
            }
            Ltl::Or(a, b) => {
                let (a, b) = both(a, b);
                self.all(|at| a[at] || b[at])
            }
            Ltl::Implies(a, b) => {
                let (a, b) = both(a, b);
                self.all(|at| !a[at] || b[at])
            }
            Ltl::Equivalent(a, b) => {
                let (a, b) = both(a, b);
                self.all(|at| a[at] == b[at])
            }
            Ltl::Until(a, b) => self.until(&self.holds(a), &self.holds(b)),
            Ltl::Release(a, b) => not(self.until(&not(self.holds(a)), &not(self.holds(b)))),
            Ltl::WeakUntil(a, b) => {
                let (a, b) = both(a, b);
                let (until, for_ever) = (self.until(&a, &b), not(self.until(&always(), &not(a.clone()))));
                self.all(|at| until[at] || for_ever[at])
            }
        }
    }

    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut holds = b.to_vec();
        for _ in 0..self.letters.len() {
            holds = self.all(|at| b[at] || (a[at] && holds[self.next(at)]));
        }
        holds
    }

    fn is_true(&self, expr: &Expr, at: usize) -> bool {
        match &expr.kind {
            ExprKind::Constant { value, .. } => *value != 0,
            ExprKind::Unary(_, a) => !self.is_true(a, at),
            ExprKind::Binary(promela::model::BinaryOp::And, a, b) => {
                self.is_true(a, at) && self.is_true(b, at)
            }
            ExprKind::Binary(_, a, b) => self.is_true(a, at) || self.is_true(b, at),
            _ => self.letters[at] >> slot(expr) & 1 == 1,
        }
    }

    /// Whether the automaton accepts.
    fn is_accepted(&self, violations: &Violations) -> bool {
        let states = violations.edges.len();
        let slots: Vec<u32> = violations.propositions.iter().map(slot).collect();
        let steps = |node: usize| -> Vec<(usize, u32)> {
            let (at, state) = (node / states, node % states);
            let bits = (0..).zip(&slots).map(|(bit, slot)| (self.letters[at] >> slot & 1) << bit);
            let valuation = bits.sum();
            let edges = violations.edges[state].iter().filter(|edge| edge.fits(valuation));
            edges.map(|edge| (self.next(at) * states + edge.target as usize, edge.accepted)).collect()
        };
        let reached = |from: usize| {
            let (mut seen, mut open) = (vec![false; states * self.letters.len()], vec![from]);
            while let Some(node) = open.pop() {
                for (to, _) in steps(node) {
                    if !std::mem::replace(&mut seen[to], true) {
                        open.push(to);
                    }
                }
            }
            seen
        };
        let all = (1u32 << violations.sets) - 1;
        let from_start = reached(0);
        // The parts in which it may go round, by one node each.
        (0..from_start.len()).filter(|&node| from_start[node] || node == 0).any(|node| {
            let onward = reached(node);
            let part: Vec<bool> =
                (0..onward.len()).map(|other| onward[other] && reached(other)[node]).collect();
            let inside = (0..part.len()).filter(|&from| part[from]).flat_map(steps);
            inside.filter(|(to, _)| part[*to]).fold(0, |bits, (_, accepted)| bits | accepted) == all
        })
    }
}

/// The one variable of a proposition.
fn slot(expr: &Expr) -> u32 {
    global_slots(expr).expect("an expression over globals")[0]
}

fn with_formula(formula: &str) -> System {
    let text = "bit a, b, c, d, e, f, g, h; active proctype P() { do :: a = b; c = d; e = f; g = h od } ltl p { FORMULA }";
    system(&text.replace("FORMULA", formula))
}

struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn formula(&mut self, depth: u64) -> String {
        if depth == 0 || self.below(6) == 0 {
            return ["a", "b", "c", "!a", "!b", "true", "(a && b)", "!(b || c)"][self.below(8) as usize]
                .to_string();
        }
        match self.below(11) {
            0 => format!("(X {})", self.formula(depth - 1)),
            1 => format!("([] {})", self.formula(depth - 1)),
            2 => format!("(<> {})", self.formula(depth - 1)),
            3 => format!("(! {})", self.formula(depth - 1)),
            kind => {
                let operator = ["U", "V", "W", "&&", "||", "->", "<->"][kind as usize - 4];
                format!("({} {operator} {})", self.formula(depth - 1), self.formula(depth - 1))
            }
        }
    }

    fn word(&mut self, bits: u64) -> Word {
        let letters: Vec<u32> = (0..1 + self.below(4)).map(|_| self.below(1 << bits) as u32).collect();
        Word { back_to: self.below(letters.len() as u64) as usize, letters }
    }
}

#[test]
fn a_word_is_accepted_exactly_if_it_violates_the_formula() {
    let mut draw = Draw(12);
    let (mut violated, mut satisfied) = (0, 0);
    for _ in 0..250 {
        let text = draw.formula(3);
        let system = with_formula(&text);
        let formula = &system.model.formulas[0].formula;
        let Some(violations) = Violations::of(&system.model, formula) else { continue };
        for _ in 0..12 {
            let word = draw.word(3);
            let holds = word.holds(formula)[0];
            assert_eq!(
                word.is_accepted(&violations),
                !holds,
                "{text} on {:?} back to {}",
                word.letters,
                word.back_to
            );
            if let [letter] = word.letters[..] {
                let slots = violations.propositions.iter().map(slot);
                let valuation = (0..).zip(slots).map(|(bit, slot)| (letter >> slot & 1) << bit).sum();
                assert_eq!(violations.accepts_standing_still(0, valuation), !holds, "{text} on {letter}");
            }
            if holds { satisfied += 1 } else { violated += 1 }
        }
    }
    assert!(violated > 500 && satisfied > 500, "{violated} {satisfied}");
}

/// Where there are more ways to violate a formula than are looked for, no automaton is made of those that were found first.
#[test]
fn a_formula_with_very_many_ways_to_violate_it_is_too_large_or_whole() {
    let variables = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut pairs: Vec<String> = Vec::new();
    for (index, one) in variables.iter().enumerate() {
        pairs.extend(variables[index + 1..].iter().map(|other| format!("({one} || {other})")));
    }
    for count in [3, 12, 15, 20, 28] {
        // A conjunction of choices is violated unless all are made; each variable in turn is the only one that is 0.
        let system = with_formula(&format!("!({})", pairs[..count].join(" && ")));
        let formula = &system.model.formulas[0].formula;
        let Some(violations) = Violations::of(&system.model, formula) else { continue };
        for (zero, name) in variables.iter().enumerate() {
            let word = Word { letters: vec![0xff & !(1 << zero)], back_to: 0 };
            assert!(!word.holds(formula)[0]);
            assert!(word.is_accepted(&violations), "{count} choices, {name} is 0");
        }
    }
}
