//! Rational numbers against dashu alone, on operands around every border of the inline representation.

mod common;

use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use common::Random;
use dashu::integer::IBig;
use dashu::rational::RBig;
use linear::Rational;

fn interesting(random: &mut Random) -> i64 {
    let border = match random.between(0, 7) {
        0 => 0,
        1 => i64::MAX,
        2 => i64::MIN,
        3 => 1 << 31,
        4 => 1 << 32,
        5 => 3_037_000_500,
        6 => random.next() as i64,
        _ => return random.between(-12, 12),
    };
    border.saturating_add(random.between(-3, 3))
}

fn operand(random: &mut Random) -> (Rational, RBig) {
    let numerator = interesting(random);
    let mut denominator = interesting(random);
    if denominator == 0 {
        denominator = 1;
    }
    let exact = RBig::from_parts_signed(IBig::from(numerator), IBig::from(denominator));
    (Rational::new(numerator, denominator), exact)
}

fn same(ours: &Rational, theirs: &RBig) {
    assert_eq!(&RBig::from(ours), theirs);
    // The representation of a value is unique, however it came about.
    let again = Rational::from(theirs.clone());
    assert_eq!(ours, &again);
    assert_eq!(hash(ours), hash(&again));
    assert_eq!(ours.to_string(), theirs.to_string());
}

fn hash(number: &Rational) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn every_operation_agrees_with_big_rationals() {
    let mut random = Random::new(4);
    for _ in 0..40_000 {
        let (a, big_a) = operand(&mut random);
        let (b, big_b) = operand(&mut random);
        let (c, big_c) = operand(&mut random);
        same(&a, &big_a);
        same(&(&a + &b), &(&big_a + &big_b));
        same(&(&a - &b), &(&big_a - &big_b));
        same(&(&a * &b), &(&big_a * &big_b));
        same(&-&a, &-big_a.clone());
        if !b.is_zero() {
            same(&(&a / &b), &(&big_a / &big_b));
        }
        assert_eq!(a.cmp(&b), big_a.cmp(&big_b));
        assert_eq!(a.sign(), big_a.cmp(&RBig::ZERO));
        let mut fused = c.clone();
        fused.subtract_product(&a, &b);
        same(&fused, &(&big_c - &big_a * &big_b));
        // Operands beyond 64 bits, and results that come back into them.
        let (wide, big_wide) = (&a * &b, &big_a * &big_b);
        same(&(&wide + &c), &(&big_wide + &big_c));
        same(&(&(&wide + &c) - &c), &big_wide);
        assert_eq!(wide.cmp(&c), big_wide.cmp(&big_c));
    }
}

#[test]
fn floor_and_ceiling_enclose_the_number() {
    let mut random = Random::new(5);
    for _ in 0..10_000 {
        let (a, _) = operand(&mut random);
        let (b, _) = operand(&mut random);
        for number in [&a * &b, a] {
            let (floor, ceil) = (number.floor(), number.ceil());
            assert!(floor.is_integer() && ceil.is_integer());
            assert!(floor <= number && number <= ceil);
            let width = if number.is_integer() { Rational::ZERO } else { Rational::ONE };
            assert_eq!(&ceil - &floor, width);
        }
    }
}

#[test]
fn inline_numbers_take_sixteen_bytes() {
    assert_eq!(std::mem::size_of::<Rational>(), 16);
}

#[test]
fn conversions_keep_the_value() {
    assert_eq!(Rational::from(i64::MIN).to_i64(), Some(i64::MIN));
    assert_eq!((&Rational::from(i64::MIN) - &Rational::ONE).to_i64(), None);
    assert_eq!(Rational::new(7, 2).to_i64(), None);
    assert_eq!(Rational::new(-7, 2).to_f64(), -3.5);
    assert_eq!(Rational::new(6, -4).to_string(), "-3/2");
    assert_eq!(Rational::new(1, 3).cmp(&Rational::new(2, 6)), Ordering::Equal);
    assert_eq!(format!("[{:>5}]", Rational::new(1, 2)), "[  1/2]");
}
