//! The automaton of the runs that violate a formula, made by the checker itself.
//!
//! A certificate about a formula carries no automaton: whoever wrote it and whoever checks it make the same one from the model's own text, by the
//! plainest construction there is. A state is a set of formulas that the rest of the run must satisfy; its edges are the ways to satisfy
//! them in one step, with what is left for the next. `a U b` is satisfied now by `b`, or put off by `a`; an edge that does not put it off
//! belongs to its acceptance set.
//!
//! What a proof needs is one direction: **every run that violates the formula is accepted.** Let a run satisfy all formulas of a state. For each
//! `a U b` among them choose `b` if the run satisfies it now, else put it off; for each choice between formulas one that the
//! run satisfies. That is one of the edges before any are left out, the run satisfies its literals, and its next step satisfies what is left. An
//! edge is left out only for another that asks for no literal more, leaves no formula more and puts off no more (`covers`): take that. So there is a way on for ever,
//! and nothing is put off for ever, because the moment comes at which the run satisfies `b`, and an edge that puts off less than one that the run
//! could take puts off nothing that the run satisfies now. (Couvreur 1999 has the construction; nothing here is minimised but this.)

use promela::model::{BinaryOp, Expr, ExprKind, Features, Ltl, Model, RemoteProcess, UnaryOp};
use promela::print::expr_text;
use std::collections::{BTreeSet, HashMap};

/// More propositions, formulas to put off, states or edges than these are refused.
const MOST_PROPOSITIONS: usize = 8;
const MOST_PUT_OFF: usize = 16;
const MOST_STATES: usize = 256;
const MOST_EDGES: usize = 4096;
/// More ways than this to satisfy a state are not looked for, although most of them may be covered by others, or contradict themselves.
const MOST_WAYS: usize = 4 * MOST_EDGES;

/// The automaton of the runs that violate a formula.
#[derive(Clone, Debug)]
pub struct Violations {
    /// What its literals speak of: no `&&`, `||` or `!` outermost.
    pub propositions: Vec<Expr>,
    /// The edges of each state; state 0 is the first.
    pub edges: Vec<Vec<ViolationEdge>>,
    /// How many acceptance sets there are; at least one. A run that takes edges of each of them again and again is accepted.
    pub sets: u32,
}

/// One step of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ViolationEdge {
    /// Propositions that must hold, as bits.
    pub holds: u32,
    /// Propositions that must not.
    pub fails: u32,
    /// The next state.
    pub target: u32,
    /// The acceptance sets that it belongs to, as bits.
    pub accepted: u32,
}

impl ViolationEdge {
    /// Whether it can be taken when these propositions hold.
    pub fn fits(&self, valuation: u32) -> bool {
        valuation & self.holds == self.holds && valuation & self.fails == 0
    }
}

impl Violations {
    /// Of a formula of the model; `None` if it is too large.
    pub fn of(model: &Model, formula: &Ltl) -> Option<Violations> {
        let mut maker = Maker {
            model,
            texts: HashMap::new(),
            propositions: Vec::new(),
            formulas: Vec::new(),
            made: HashMap::new(),
        };
        let negation = maker.negated(formula, false);
        if maker.propositions.len() > MOST_PROPOSITIONS {
            return None;
        }
        let put_off: Vec<usize> =
            (0..maker.formulas.len()).filter(|&id| matches!(maker.formulas[id], Normal::Until(..))).collect();
        if put_off.len() > MOST_PUT_OFF {
            return None;
        }
        let all = (1u32 << put_off.len()) - 1;
        let mut numbers: HashMap<BTreeSet<usize>, u32> = HashMap::from([(BTreeSet::from([negation]), 0)]);
        let mut states = vec![BTreeSet::from([negation])];
        let mut edges: Vec<Vec<ViolationEdge>> = Vec::new();
        let mut count = 0;
        while let Some(state) = states.get(edges.len()).cloned() {
            let mut ways = Ways::default();
            maker.satisfy(state.into_iter().collect(), Way::default(), &mut ways);
            // Some may be missing.
            if ways.tried > MOST_WAYS {
                return None;
            }
            let mut leaving = Vec::new();
            for way in without_covered(ways.found) {
                let accepted = put_off.iter().enumerate().filter(|(_, id)| !way.put_off.contains(id));
                let accepted = accepted.fold(0, |bits, (bit, _)| bits | 1 << bit);
                let fresh = states.len() as u32;
                let target = *numbers.entry(way.next.clone()).or_insert(fresh);
                if target == fresh {
                    states.push(way.next);
                }
                // Where nothing can be put off, going on is enough.
                let accepted = if all == 0 { 1 } else { accepted };
                leaving.push(ViolationEdge { holds: way.holds, fails: way.fails, target, accepted });
            }
            leaving.sort();
            leaving.dedup();
            count += leaving.len();
            if states.len() > MOST_STATES || count > MOST_EDGES {
                return None;
            }
            edges.push(leaving);
        }
        let sets = (put_off.len() as u32).max(1);
        Some(Violations { propositions: maker.propositions, edges, sets })
    }

    /// How many valuations there are.
    pub fn valuations(&self) -> u32 {
        1 << self.propositions.len()
    }

    /// How many nodes it has as a component: one for each state and each valuation of the moment that it reads next.
    pub fn nodes(&self) -> u32 {
        self.edges.len() as u32 * self.valuations()
    }

    /// The node of a state and a valuation.
    pub fn node(&self, state: u32, valuation: u32) -> u32 {
        state * self.valuations() + valuation
    }

    /// The state and the valuation of a node.
    pub fn of_node(&self, node: u32) -> (u32, u32) {
        (node / self.valuations(), node % self.valuations())
    }

    /// Whether a run that stands still for ever in a moment with this valuation is accepted from the state on: it reaches a part of the
    /// states in which it can go round through every acceptance set.
    pub fn accepts_standing_still(&self, state: u32, valuation: u32) -> bool {
        self.accepts_along(state, |edge| edge.fits(valuation))
    }

    /// Whether any run is accepted from the state on.
    pub fn accepts_something(&self, state: u32) -> bool {
        self.accepts_along(state, |_| true)
    }

    /// Whether an accepted way leads along edges that can be used.
    fn accepts_along(&self, state: u32, is_usable: impl Fn(&ViolationEdge) -> bool) -> bool {
        let steps = |from: u32| self.edges[from as usize].iter().filter(|edge| is_usable(edge));
        let reached = |from: u32| {
            let mut seen = BTreeSet::from([from]);
            let mut open = vec![from];
            while let Some(at) = open.pop() {
                open.extend(steps(at).map(|edge| edge.target).filter(|&to| seen.insert(to)));
            }
            seen
        };
        let all = u32::MAX >> (u32::BITS - self.sets);
        reached(state).into_iter().any(|at| {
            let there = reached(at);
            let part: BTreeSet<u32> =
                there.into_iter().filter(|&other| reached(other).contains(&at)).collect();
            let inside = part.iter().flat_map(|&from| steps(from)).filter(|edge| part.contains(&edge.target));
            let mut moves = 0;
            let accepted = inside.fold(0, |bits, edge| {
                moves += 1;
                bits | edge.accepted
            });
            moves > 0 && accepted == all
        })
    }
}

/// What a formula asks that cannot be answered state by state: in words, or nothing.
pub fn unanswerable(features: &Features, propositions: &[Expr]) -> Option<&'static str> {
    propositions.iter().find_map(|proposition| {
        let mut reason = None;
        proposition.visit(&mut |inner| {
            let found = match &inner.kind {
                ExprKind::Timeout => Some("`timeout` in a formula"),
                // Whether it can move may depend on whether time is out.
                ExprKind::Enabled(_) if features.timeout => {
                    Some("`enabled` in a formula over a model with `timeout`")
                }
                ExprKind::Run { .. } => Some("`run` in a formula"),
                ExprKind::Pid => Some("`_pid` in a formula"),
                ExprKind::OwnPriority => Some("`_priority` in a formula"),
                ExprKind::Last if !features.last => Some("`_last` in a formula over a model without it"),
                ExprKind::RemoteLabel { proctype: RemoteProcess::Claim(_), .. } => {
                    Some("a label of a claim in a formula")
                }
                _ => None,
            };
            reason = reason.or(found);
        });
        reason
    })
}

/// A formula whose negations stand before propositions only, by its number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Normal {
    True,
    False,
    Literal(u32, bool),
    And(usize, usize),
    Or(usize, usize),
    Next(usize),
    Until(usize, usize),
    Release(usize, usize),
}

/// One way to satisfy some formulas for one step.
#[derive(Clone, Default)]
struct Way {
    holds: u32,
    fails: u32,
    next: BTreeSet<usize>,
    put_off: BTreeSet<usize>,
}

/// What was found by trying one way after the other.
#[derive(Default)]
struct Ways {
    found: Vec<Way>,
    /// How many ways were followed to their end, those that contradict themselves included.
    tried: usize,
}

impl Way {
    /// Whether whatever can take the other can take this, is left with no more and puts off no more.
    fn covers(&self, other: &Way) -> bool {
        self.holds & other.holds == self.holds
            && self.fails & other.fails == self.fails
            && self.next.is_subset(&other.next)
            && self.put_off.is_subset(&other.put_off)
    }
}

fn without_covered(ways: Vec<Way>) -> Vec<Way> {
    let mut kept: Vec<Way> = Vec::new();
    for way in ways {
        if !kept.iter().any(|other| other.covers(&way)) {
            kept.retain(|other| !way.covers(other));
            kept.push(way);
        }
    }
    kept
}

struct Maker<'m> {
    model: &'m Model,
    /// Propositions by their text: those that read the same are the same.
    texts: HashMap<String, u32>,
    propositions: Vec<Expr>,
    formulas: Vec<Normal>,
    /// The number of each part, as it is and denied: an equivalence asks for both, and so do those inside of it.
    made: HashMap<(*const Ltl, bool), usize>,
}

impl Maker<'_> {
    fn add(&mut self, formula: Normal) -> usize {
        let known = self.formulas.iter().position(|other| *other == formula);
        known.unwrap_or_else(|| {
            self.formulas.push(formula);
            self.formulas.len() - 1
        })
    }

    fn and(&mut self, a: usize, b: usize) -> usize {
        match (&self.formulas[a], &self.formulas[b]) {
            (Normal::True, _) | (_, Normal::False) => b,
            (_, Normal::True) | (Normal::False, _) => a,
            _ => self.add(Normal::And(a, b)),
        }
    }

    fn or(&mut self, a: usize, b: usize) -> usize {
        match (&self.formulas[a], &self.formulas[b]) {
            (Normal::False, _) | (_, Normal::True) => b,
            (_, Normal::False) | (Normal::True, _) => a,
            _ => self.add(Normal::Or(a, b)),
        }
    }

    /// The formula, or its negation unless `positive`, in normal form.
    fn negated(&mut self, formula: &Ltl, positive: bool) -> usize {
        let key = (std::ptr::from_ref(formula), positive);
        if let Some(&made) = self.made.get(&key) {
            return made;
        }
        let made = self.normal(formula, positive);
        self.made.insert(key, made);
        made
    }

    fn normal(&mut self, formula: &Ltl, positive: bool) -> usize {
        match formula {
            Ltl::Proposition(expr) => self.proposition(expr, positive),
            Ltl::Not(a) => self.negated(a, !positive),
            Ltl::Next(a) => {
                let a = self.negated(a, positive);
                self.add(Normal::Next(a))
            }
            Ltl::Always(a) | Ltl::Eventually(a) => {
                let always = matches!(formula, Ltl::Always(_)) == positive;
                let a = self.negated(a, positive);
                let beside = self.add(if always { Normal::False } else { Normal::True });
                self.add(if always { Normal::Release(beside, a) } else { Normal::Until(beside, a) })
            }
            Ltl::And(a, b) => self.both(a, b, positive, positive, positive),
            Ltl::Or(a, b) => self.both(a, b, positive, positive, !positive),
            Ltl::Implies(a, b) => self.both(a, b, !positive, positive, !positive),
            Ltl::Equivalent(a, b) => {
                let same = self.both(a, b, true, positive, true);
                let other = self.both(a, b, false, !positive, true);
                self.or(same, other)
            }
            Ltl::Until(a, b) | Ltl::Release(a, b) => {
                let until = matches!(formula, Ltl::Until(..)) == positive;
                let (a, b) = (self.negated(a, positive), self.negated(b, positive));
                self.add(if until { Normal::Until(a, b) } else { Normal::Release(a, b) })
            }
            // `a W b` is `b R (a || b)`.
            Ltl::WeakUntil(a, b) => {
                let either = self.both(a, b, positive, positive, !positive);
                let b = self.negated(b, positive);
                self.add(if positive { Normal::Release(b, either) } else { Normal::Until(b, either) })
            }
        }
    }

    fn both(&mut self, a: &Ltl, b: &Ltl, of_a: bool, of_b: bool, conjunction: bool) -> usize {
        let (a, b) = (self.negated(a, of_a), self.negated(b, of_b));
        if conjunction { self.and(a, b) } else { self.or(a, b) }
    }

    fn proposition(&mut self, expr: &Expr, positive: bool) -> usize {
        let inner = |maker: &mut Self, a: &Expr, b: &Expr, conjunction: bool| {
            let (a, b) = (maker.proposition(a, positive), maker.proposition(b, positive));
            if conjunction == positive { maker.and(a, b) } else { maker.or(a, b) }
        };
        match &expr.kind {
            ExprKind::Constant { value, .. } => self.add(match (*value != 0) == positive {
                true => Normal::True,
                false => Normal::False,
            }),
            ExprKind::Unary(UnaryOp::Not, a) => self.proposition(a, !positive),
            ExprKind::Binary(BinaryOp::And, a, b) => inner(self, a, b, true),
            ExprKind::Binary(BinaryOp::Or, a, b) => inner(self, a, b, false),
            _ => {
                let text = expr_text(self.model, &[], expr);
                let fresh = self.propositions.len() as u32;
                let number = *self.texts.entry(text).or_insert(fresh);
                if number == fresh {
                    self.propositions.push(expr.clone());
                }
                self.add(Normal::Literal(number, positive))
            }
        }
    }

    /// All ways to satisfy what is left to do beside what was done; or, if more than [`MOST_WAYS`] were tried, not all.
    fn satisfy(&self, mut left: Vec<usize>, mut way: Way, ways: &mut Ways) {
        if ways.tried > MOST_WAYS {
            return;
        }
        let Some(id) = left.pop() else {
            ways.tried += 1;
            ways.found.push(way);
            return;
        };
        let with = |more: &[usize]| [left.clone(), more.to_vec()].concat();
        match self.formulas[id] {
            Normal::True => self.satisfy(left, way, ways),
            Normal::False => ways.tried += 1,
            Normal::Literal(number, positive) => {
                let bit = 1u32.checked_shl(number).unwrap_or(0);
                let (own, other) =
                    if positive { (&mut way.holds, way.fails) } else { (&mut way.fails, way.holds) };
                *own |= bit;
                match other & bit == 0 {
                    true => self.satisfy(left, way, ways),
                    false => ways.tried += 1,
                }
            }
            Normal::And(a, b) => self.satisfy(with(&[a, b]), way, ways),
            Normal::Or(a, b) => {
                self.satisfy(with(&[a]), way.clone(), ways);
                self.satisfy(with(&[b]), way, ways);
            }
            Normal::Next(a) => {
                way.next.insert(a);
                self.satisfy(left, way, ways);
            }
            Normal::Until(a, b) => {
                self.satisfy(with(&[b]), way.clone(), ways);
                way.next.insert(id);
                way.put_off.insert(id);
                self.satisfy(with(&[a]), way, ways);
            }
            Normal::Release(a, b) => {
                self.satisfy(with(&[a, b]), way.clone(), ways);
                way.next.insert(id);
                self.satisfy(with(&[b]), way, ways);
            }
        }
    }
}
