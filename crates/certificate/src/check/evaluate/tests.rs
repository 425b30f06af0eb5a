//! Expressions over sets against the interpreter: no value that it computes is missing, and where the sets are small, there is no other.

use super::*;
use promela::Options;
use promela::model::Index;
use std::collections::BTreeSet;
use system::automaton::Action;
use system::interpreter::{Capacities, Interpreter};
use system::state::State;

/// Four numbers, an array, two channels and two names of channels.
const MODEL: &str = "int a, b; byte x; short s; byte v[3];
    chan c = [1] of { byte }; chan d = [1] of { byte }; chan p; chan q;
    active proctype P() { a = 0; b = 0; x = 0; s = 0; v[0] = 0; p = c; q = d;
        (a + b + x + s + v[0] + v[1] + v[2] == 0 && p == q); c!1; d!1; p!1; q!1 }";

struct Bench {
    system: System,
    claims: Claims,
    /// Where `a`, `b`, `x`, `s`, `v`, `p` and `q` are.
    places: Vec<Place>,
    initial: State,
}

const OPERATORS: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::And,
    BinaryOp::Or,
];
const EDGES: [i32; 14] =
    [i32::MIN, i32::MIN + 1, -33, -2, -1, 0, 1, 2, 3, 31, 32, 255, i32::MAX - 1, i32::MAX];

impl Bench {
    fn new() -> Bench {
        let (model, diagnostics) =
            promela::read("sets.pml", MODEL, &Options::default(), &promela::NoIncludes);
        assert!(diagnostics.iter().all(|d| d.severity != promela::diagnostic::Severity::Error));
        let system = system::lower::lower(model).0;
        let places = system.automata[0].edges.iter().filter_map(|edge| match &edge.action {
            Action::Assign { place, .. } => Some(place.clone()),
            _ => None,
        });
        let places: Vec<Place> = places.collect();
        let object = |slot| crate::claims::Object { place: ObjectPlace::Global { slot }, classes: vec![] };
        let slots = system.model.globals.iter().filter(|g| ["c", "d"].contains(&g.name.as_str()));
        let claims = Claims { objects: slots.map(|g| object(g.slot)).collect(), ..Claims::default() };
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        let initial = interpreter.initial_state().expect("an initial state");
        Bench { system, claims, places, initial }
    }

    fn evaluator(&self) -> Evaluator<'_> {
        Evaluator { system: &self.system, claims: &self.claims }
    }

    fn slots(&self) -> usize {
        self.initial.globals.len()
    }

    /// The variable `a`, `b`, `x`, `s`, `p` or `q`.
    fn read(&self, name: char) -> Expr {
        let place = &self.places["abxsvpq".find(name).expect("a variable")];
        Expr { kind: ExprKind::Read(place.clone()), span: place.span }
    }

    fn slot(&self, name: char) -> usize {
        self.places["abxsvpq".find(name).expect("a variable")].base as usize
    }

    /// `v[index]`
    fn element(&self, index: Expr) -> Expr {
        let mut place = self.places[4].clone();
        place.indices = vec![Index { value: index, ..place.indices[0].clone() }];
        Expr { span: place.span, kind: ExprKind::Read(place) }
    }

    fn constant(&self, value: i32) -> Expr {
        Expr { kind: ExprKind::Constant { value, mtype: None }, span: self.places[0].span }
    }

    fn binary(&self, operator: BinaryOp, left: Expr, right: Expr) -> Expr {
        let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
        Expr { kind, span: self.places[0].span }
    }

    fn unary(&self, operator: UnaryOp, operand: Expr) -> Expr {
        Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span: self.places[0].span }
    }

    /// What the interpreter computes; `None` is a runtime error.
    fn computed(&self, expr: &Expr, globals: &[i32]) -> Option<i32> {
        let mut state = self.initial.clone();
        state.globals.copy_from_slice(globals);
        let interpreter = Interpreter::new(&self.system, Capacities::Declared);
        interpreter.evaluate(&state, None, expr).ok()
    }

    /// Nothing is missing for these values of the globals, and the parts by truth and by value cover them.
    fn covers(&self, expr: &Expr, sets: &[Values], globals: &[i32]) {
        let Some(value) = self.computed(expr, globals) else { return };
        let pid = Values::none();
        let environment = Environment::new(&[], sets, &pid);
        let evaluator = self.evaluator();
        let values = evaluator.evaluate(&environment, expr).expect("understood");
        assert!(values.contains(value), "{:?} is {value} for {globals:?}, not in {values:?}", expr.kind);
        let holds = |part: &Environment| {
            (0..self.slots()).all(|slot| {
                let values = part.get(Frame::Global, slot as u32);
                let channel = u32::try_from(globals[slot]).ok().and_then(|number| number.checked_sub(1));
                values.contains(globals[slot])
                    || channel.is_some_and(|channel| values.contains_channel(ObjectId(channel)))
            })
        };
        let truth = value != 0;
        let parts = evaluator.narrow(&environment, expr, truth).expect("understood");
        assert!(parts.iter().any(holds), "{:?} is {truth} for {globals:?}, lost: {parts:?}", expr.kind);
        if values.count() <= 64
            && let Ok(alternatives) = evaluator.determine(&environment, expr)
        {
            let found = alternatives.iter().any(|(number, part)| *number == value && holds(part));
            assert!(found, "{:?} is {value} for {globals:?}, lost: {alternatives:?}", expr.kind);
        }
    }

    /// Where every variable has one value, so has the expression, and it is not both true and false.
    fn is_exact(&self, expr: &Expr, globals: &[i32]) {
        let sets: Vec<Values> = globals.iter().map(|value| Values::integer(*value)).collect();
        let pid = Values::none();
        let environment = Environment::new(&[], &sets, &pid);
        let evaluator = self.evaluator();
        let expected = self.computed(expr, globals);
        let values = evaluator.evaluate(&environment, expr).expect("understood");
        assert_eq!(values, expected.map_or(Values::none(), Values::integer), "{:?} {globals:?}", expr.kind);
        for truth in [false, true] {
            let parts = evaluator.narrow(&environment, expr, truth).expect("understood");
            let possible = expected.is_some_and(|value| (value != 0) == truth);
            assert_eq!(!parts.is_empty(), possible, "{:?} {globals:?} {truth}", expr.kind);
        }
    }
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Numbers around zero, and at the edges.
    fn number(&mut self) -> i32 {
        match self.below(3) {
            0 => EDGES[self.below(EDGES.len())],
            1 => self.below(9) as i32 - 4,
            _ => self.below(20_000) as i32 - 10_000,
        }
    }

    fn set(&mut self, low: i32, high: i32) -> Values {
        let mut number = || self.number().clamp(low, high);
        let (one, other, third) = (number(), number(), number());
        match self.below(4) {
            0 => Values::integer(one),
            1 => Values::integers([one, other, third]),
            2 => Values::interval(one.min(other), one.max(other)),
            _ => Values::interval(one, one.saturating_add(6).min(high)),
        }
    }

    /// One of a set, often the least or the largest.
    fn of(&mut self, values: &Values) -> i32 {
        let interval = values.integers[self.below(values.integers.len())];
        match self.below(3) {
            0 => interval.low,
            1 => interval.high,
            _ => interval.low.wrapping_add_unsigned((self.next() % interval.count()) as u32),
        }
    }

    fn expression(&mut self, bench: &Bench, depth: usize) -> Expr {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(6) {
                0 => bench.constant(self.number()),
                1 => bench.element(bench.binary(
                    BinaryOp::BitAnd,
                    bench.read(['a', 'x'][self.below(2)]),
                    bench.constant(3),
                )),
                _ => bench.read(['a', 'b', 'x', 's'][self.below(4)]),
            };
        }
        match self.below(8) {
            0 => {
                let operator = [UnaryOp::Negate, UnaryOp::Complement, UnaryOp::Not][self.below(3)];
                bench.unary(operator, self.expression(bench, depth - 1))
            }
            1 => {
                let [condition, then, otherwise] =
                    [(); 3].map(|()| Box::new(self.expression(bench, depth - 1)));
                let kind = ExprKind::Conditional(condition, then, otherwise);
                Expr { kind, span: bench.places[0].span }
            }
            _ => {
                let operator = OPERATORS[self.below(OPERATORS.len())];
                bench.binary(operator, self.expression(bench, depth - 1), self.expression(bench, depth - 1))
            }
        }
    }
}

#[test]
fn no_value_of_a_random_expression_is_missing() {
    let bench = Bench::new();
    let mut random = Random(3);
    for _ in 0..600 {
        let depth = 1 + random.below(3);
        let expr = random.expression(&bench, depth);
        let mut sets = vec![Values::integer(0); bench.slots()];
        for (slot, set) in sets.iter_mut().enumerate() {
            *set = match slot {
                _ if slot == bench.slot('a') || slot == bench.slot('b') => random.set(i32::MIN, i32::MAX),
                _ if slot == bench.slot('s') => random.set(-32768, 32767),
                _ if slot == bench.slot('p') || slot == bench.slot('q') => Values::integer(0),
                _ => random.set(0, 255),
            };
        }
        for _ in 0..4 {
            let globals: Vec<i32> = sets.iter().map(|set| random.of(set)).collect();
            bench.covers(&expr, &sets, &globals);
            bench.is_exact(&expr, &globals);
        }
    }
}

#[test]
fn every_operator_is_exact_at_the_edges() {
    let bench = Bench::new();
    let mut globals = vec![0; bench.slots()];
    for a in EDGES {
        globals[bench.slot('a')] = a;
        for operator in [UnaryOp::Negate, UnaryOp::Complement, UnaryOp::Not] {
            bench.is_exact(&bench.unary(operator, bench.read('a')), &globals);
        }
        bench.is_exact(&bench.element(bench.read('a')), &globals);
        for b in EDGES {
            globals[bench.slot('b')] = b;
            for operator in OPERATORS {
                bench.is_exact(&bench.binary(operator, bench.read('a'), bench.read('b')), &globals);
            }
        }
    }
}

/// By their least and largest elements: nothing is missing, and sums, products and comparisons are as narrow as can be.
#[test]
fn large_sets_are_combined_by_their_ends() {
    let intervals = || (-4..=4).flat_map(|low| (low..=4).map(move |high| Interval { low, high }));
    for a in intervals() {
        for b in intervals() {
            for operator in OPERATORS {
                let results: BTreeSet<i32> = (a.low..=a.high)
                    .flat_map(|x| (b.low..=b.high).filter_map(move |y| compute(operator, x, y)))
                    .collect();
                let [left, right] = [a, b].map(|set| Values::interval(set.low, set.high));
                let combined =
                    compare(operator, &left, &right).unwrap_or_else(|| combine_hulls(operator, a, b));
                assert!(results.iter().all(|r| combined.contains(*r)), "{operator:?} {a:?} {b:?}");
                let ends = results.first().copied().zip(results.last().copied());
                let narrow = match operator {
                    BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => true,
                    BinaryOp::Divide => b.low == 1 && a.low <= 0 && a.high >= 0,
                    BinaryOp::Remainder => {
                        let enough = b.high - 1;
                        b.low > 0 && ((a.low == 0 && a.high >= enough) || (a.high == 0 && a.low <= -enough))
                    }
                    BinaryOp::BitAnd => a.low == 0 && b.low == 0,
                    operator => operator.is_comparison(),
                };
                if narrow && let Some((low, high)) = ends {
                    assert_eq!(combined, Values::interval(low, high), "{operator:?} {a:?} {b:?}");
                }
            }
        }
    }
    // What may wrap may be anything.
    let (all, one) = (Interval { low: i32::MIN, high: i32::MAX }, Interval { low: 1, high: 1 });
    for operator in [BinaryOp::Add, BinaryOp::Subtract] {
        assert_eq!(combine_hulls(operator, all, one), Values::all_integers());
    }
    let two = Interval { low: 2, high: 2 };
    assert_eq!(combine_hulls(BinaryOp::Multiply, all, two), Values::all_integers());
    for operator in [UnaryOp::Negate, UnaryOp::Complement] {
        let apply = |value: i32| if operator == UnaryOp::Negate { value.wrapping_neg() } else { !value };
        for (low, high) in [(-9000, 7), (0, 5000), (i32::MIN + 1, 3), (-5000, i32::MAX)] {
            let expected = Values::interval(apply(high), apply(low));
            assert_eq!(unary(operator, &Values::interval(low, high)), expected, "{operator:?} {low} {high}");
        }
    }
    assert_eq!(unary(UnaryOp::Negate, &Values::interval(i32::MIN, 0)), Values::all_integers());
    assert_eq!(unary(UnaryOp::Complement, &Values::interval(i32::MIN, 0)), Values::interval(-1, i32::MAX));
}

/// A variable with many values that is compared with a number keeps exactly those for which it holds, or does not.
#[test]
fn a_comparison_narrows_a_variable_to_the_values_that_fulfil_it() {
    let bench = Bench::new();
    let pid = Values::none();
    let comparisons = OPERATORS.into_iter().filter(|operator| operator.is_comparison());
    for operator in comparisons {
        for (low, high) in [(-5000, 5000), (i32::MIN, i32::MAX)] {
            for number in [i32::MIN, i32::MIN + 1, -5001, -5000, -1, 0, 17, 4999, 5000, 5001, i32::MAX] {
                for (left, right) in [('a', 'k'), ('k', 'a')] {
                    let side = |name| if name == 'k' { bench.constant(number) } else { bench.read(name) };
                    let expr = bench.binary(operator, side(left), side(right));
                    let mut sets = vec![Values::integer(0); bench.slots()];
                    sets[bench.slot('a')] = Values::interval(low, high);
                    let environment = Environment::new(&[], &sets, &pid);
                    for truth in [true, false] {
                        // Below the number, the number, and above it.
                        let mut expected = Values::none();
                        let below = (low < number).then(|| (low, high.min(number.saturating_sub(1))));
                        let above = (high > number).then(|| (low.max(number.saturating_add(1)), high));
                        let same = (low..=high).contains(&number).then_some((number, number));
                        for (from, to) in [below, same, above].into_iter().flatten() {
                            let (x, y) = if left == 'a' { (from, number) } else { (number, from) };
                            if (compute(operator, x, y) == Some(1)) == truth {
                                expected = expected.union(&Values::interval(from, to));
                            }
                        }
                        let parts = bench.evaluator().narrow(&environment, &expr, truth).expect("understood");
                        let kept = parts.iter().fold(Values::none(), |kept, part| {
                            kept.union(&part.get(Frame::Global, bench.slot('a') as u32))
                        });
                        assert_eq!(kept, expected, "{:?} is {truth}, a in {low}..={high}", expr.kind);
                    }
                }
            }
        }
    }
}

/// Channels are told apart, 0 is none, and a number may be that of any channel.
#[test]
fn comparisons_of_channels_are_exact() {
    let bench = Bench::new();
    let pid = Values::none();
    let member = |number: i32| match number {
        0 => Values::integer(0),
        _ => Values::channel(ObjectId(number as u32 - 1)),
    };
    let subsets = || {
        let sets = [vec![0], vec![1], vec![2], vec![0, 1], vec![1, 2], vec![0, 1, 2]];
        sets.into_iter()
    };
    for operator in [BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::Less, BinaryOp::Add] {
        let expr = bench.binary(operator, bench.read('p'), bench.read('q'));
        for left in subsets() {
            for right in subsets() {
                let mut sets = vec![Values::integer(0); bench.slots()];
                let set = |numbers: &[i32]| numbers.iter().fold(Values::none(), |s, n| s.union(&member(*n)));
                sets[bench.slot('p')] = set(&left);
                sets[bench.slot('q')] = set(&right);
                let mut results = BTreeSet::new();
                for &p in &left {
                    for &q in &right {
                        let mut globals = vec![0; bench.slots()];
                        (globals[bench.slot('p')], globals[bench.slot('q')]) = (p, q);
                        results.extend(bench.computed(&expr, &globals));
                        let values = |n: i32| member(n);
                        let mut exact = sets.clone();
                        exact[bench.slot('p')] = values(p);
                        exact[bench.slot('q')] = values(q);
                        bench.covers(&expr, &exact, &globals);
                        bench.covers(&expr, &sets, &globals);
                    }
                }
                if matches!(operator, BinaryOp::Equal | BinaryOp::NotEqual) {
                    let environment = Environment::new(&[], &sets, &pid);
                    let values = bench.evaluator().evaluate(&environment, &expr).expect("understood");
                    assert_eq!(values, Values::integers(results), "{operator:?} {left:?} {right:?}");
                }
            }
        }
        let with_number = bench.binary(operator, bench.read('p'), bench.read('x'));
        for (p, x) in [(0, 0), (1, 0), (1, 1), (1, 2), (0, 1)] {
            let mut sets = vec![Values::integer(0); bench.slots()];
            let mut globals = vec![0; bench.slots()];
            (globals[bench.slot('p')], globals[bench.slot('x')]) = (p, x);
            (sets[bench.slot('p')], sets[bench.slot('x')]) = (member(p), Values::integer(x));
            bench.covers(&with_number, &sets, &globals);
            if operator == BinaryOp::Equal && x == 0 {
                let environment = Environment::new(&[], &sets, &pid);
                let values = bench.evaluator().evaluate(&environment, &with_number).expect("understood");
                assert_eq!(values, Values::integer(i32::from(p == 0)));
            }
        }
    }
}

/// A channel that a process owns has as many channels as there are processes: two names of it may mean different ones.
#[test]
fn two_names_of_a_local_channel_may_differ() {
    let mut bench = Bench::new();
    bench.claims.objects[0].place = ObjectPlace::Local { group: crate::claims::GroupId(0), slot: 0 };
    let mut sets = vec![Values::integer(0); bench.slots()];
    (sets[bench.slot('p')], sets[bench.slot('q')]) =
        (Values::channel(ObjectId(0)), Values::channel(ObjectId(0)));
    let pid = Values::none();
    let expr = bench.binary(BinaryOp::Equal, bench.read('p'), bench.read('q'));
    let values = bench.evaluator().evaluate(&Environment::new(&[], &sets, &pid), &expr).expect("understood");
    assert_eq!(values, Values::truth_values());
}

#[test]
fn what_is_stored_is_cut_to_the_type() {
    let bench = Bench::new();
    let limits = Limits::of(&bench.system.model);
    for scalar in [Scalar::Bit, Scalar::Bool, Scalar::Byte, Scalar::Short, Scalar::Int] {
        let (low, high) = scalar.range();
        for set in [
            Values::integers([0, 1, 2, -1, 255, 256, 32767, 32768, -32769]),
            Values::integers([low, high]),
            Values::interval(low, low.saturating_add(1)),
            Values::interval(-100_000, 100_000),
            Values::interval(high.saturating_sub(3), high.saturating_add(3)),
        ] {
            let stored = truncate(&bench.system, scalar, &set).expect("understood");
            let samples = set.integers.iter().flat_map(|i| [i.low, i.high]);
            let samples: Vec<i32> = samples.chain((-300..300).filter(|n| set.contains(*n))).collect();
            assert!(samples.iter().all(|n| stored.contains(limits.stored(scalar, *n))), "{scalar:?} {set:?}");
            if set.count() < 100 {
                let exact = Values::integers(set.iter_integers().map(|n| limits.stored(scalar, n)));
                assert_eq!(stored, exact, "{scalar:?} {set:?}");
            }
        }
        // A channel in a place for numbers is some number from 1 up.
        let stored = truncate(&bench.system, scalar, &Values::channel(ObjectId(1))).expect("understood");
        assert!(stored.contains(limits.stored(scalar, 1)) && stored.contains(limits.stored(scalar, 2)));
        assert!(stored.channels.is_empty());
    }
    let either = Values::channel(ObjectId(0)).union(&Values::integer(0));
    assert_eq!(truncate(&bench.system, Scalar::Chan, &either), Ok(either.clone()));
    assert!(truncate(&bench.system, Scalar::Chan, &either.union(&Values::integer(1))).is_err());
}

#[test]
fn what_is_not_understood_is_refused() {
    let bench = Bench::new();
    let pid = Values::none();
    let mut sets = vec![Values::integer(0); bench.slots()];
    sets[bench.slot('p')] = Values::channel(ObjectId(0));
    sets[bench.slot('a')] = Values::interval(0, 100_000);
    let environment = Environment::new(&[], &sets, &pid);
    let evaluator = bench.evaluator();
    assert!(evaluator.evaluate(&environment, &bench.element(bench.read('p'))).is_err());
    assert!(evaluator.determine(&environment, &bench.read('p')).is_err());
    assert!(evaluator.determine(&environment, &bench.read('a')).is_err());
    // A name that may hold a number that is no channel.
    let channel = ChannelRef { place: bench.places[5].clone(), declared: None };
    assert_eq!(evaluator.resolve(&environment, &channel).expect("understood").len(), 1);
    sets[bench.slot('p')] = Values::channel(ObjectId(0)).union(&Values::integers([0, 3]));
    let environment = Environment::new(&[], &sets, &pid);
    assert!(evaluator.resolve(&environment, &channel).is_err());
}

/// The number of a channel is not known, so neither is what is compared with it, in either order, and however many numbers there are.
#[test]
fn a_number_beside_a_channel_is_not_narrowed() {
    let bench = Bench::new();
    let mut sets = vec![Values::integer(0); bench.slots()];
    sets[bench.slot('a')] = Values::all_integers();
    sets[bench.slot('p')] = Values::integer(0).union(&Values::channel(ObjectId(1)));
    for operator in OPERATORS[10..16].iter().copied() {
        for number in [-1, 0, 1, 2, 3] {
            for name in [0, 2] {
                let mut globals = vec![0; bench.slots()];
                (globals[bench.slot('a')], globals[bench.slot('p')]) = (number, name);
                bench.covers(&bench.binary(operator, bench.read('a'), bench.read('p')), &sets, &globals);
                bench.covers(&bench.binary(operator, bench.read('p'), bench.read('a')), &sets, &globals);
            }
        }
    }
}

/// Statements cannot ask for it, but whoever reads expressions must not rely on that: `P[*]@label` is no truth value.
#[test]
fn the_number_of_processes_at_a_label_may_be_more_than_one() {
    let bench = Bench::new();
    let evaluator = Evaluator { system: &bench.system, claims: &bench.claims };
    let nothing = Values::none();
    let environment = Environment::new(&[], &bench.claims.globals, &nothing);
    let standing = |proctype| {
        let kind = ExprKind::RemoteLabel { proctype, pid: None, label: "here".into() };
        let expr = Expr { kind, span: Default::default() };
        evaluator.evaluate(&environment, &expr).expect("understood")
    };
    let proctype = promela::model::ProctypeId(0);
    assert!(standing(RemoteProcess::All(proctype)).contains(2));
    assert_eq!(standing(RemoteProcess::Proctype(proctype)), Values::truth_values());
}
