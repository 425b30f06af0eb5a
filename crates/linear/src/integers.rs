//! From rational vectors to integer vectors with the same direction.
//!
//! Certificates are checked in integers: a potential or a flow may be multiplied by any positive number, so the
//! smallest integer vector of the same direction is the one to show to a person.

use dashu::base::Gcd;
use dashu::integer::{IBig, UBig};

use crate::rational::Rational;

/// The smallest integer vector that is a positive multiple of `vector`. The zero vector stays zero.
pub fn to_integers(vector: &[Rational]) -> Vec<IBig> {
    let mut denominator = UBig::ONE;
    for entry in vector {
        if !entry.is_integer() {
            let next = magnitude(entry.denominator());
            let common = (&denominator).gcd(&next);
            denominator *= next / common;
        }
    }
    let denominator = IBig::from(denominator);
    let mut integers: Vec<IBig> =
        vector.iter().map(|entry| entry.numerator() * (&denominator / entry.denominator())).collect();
    let mut common = UBig::ZERO;
    for integer in integers.iter().filter(|integer| **integer != IBig::ZERO) {
        let next = magnitude(integer.clone());
        // The greatest common divisor of two zeros is undefined, hence the first one is taken as it is.
        common = if common == UBig::ZERO { next } else { common.gcd(next) };
        if common == UBig::ONE {
            break;
        }
    }
    if common > UBig::ONE {
        let common = IBig::from(common);
        for integer in &mut integers {
            *integer /= &common;
        }
    }
    integers
}

/// As [`to_integers`], if every entry fits in an `i64`.
pub fn to_small_integers(vector: &[Rational]) -> Option<Vec<i64>> {
    to_integers(vector).into_iter().map(|integer| i64::try_from(integer).ok()).collect()
}

fn magnitude(integer: IBig) -> UBig {
    integer.into_parts().1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_scaled_to_the_smallest_integers() {
        let vector = [Rational::new(2, 3), Rational::new(-4, 5), Rational::ZERO, Rational::from(2)];
        assert_eq!(to_small_integers(&vector), Some(vec![5, -6, 0, 15]));
    }

    #[test]
    fn a_common_factor_is_removed_and_the_sign_kept() {
        let vector = [Rational::from(-6), Rational::from(-9)];
        assert_eq!(to_small_integers(&vector), Some(vec![-2, -3]));
        assert_eq!(to_small_integers(&[Rational::ZERO]), Some(vec![0]));
        assert_eq!(to_small_integers(&[]), Some(vec![]));
    }

    #[test]
    fn numbers_beyond_64_bits_stay_exact() {
        let big = &Rational::from(i64::MAX) * &Rational::from(i64::MAX);
        let vector = [&big / &Rational::from(2), Rational::new(1, 2)];
        assert_eq!(to_integers(&vector), vec![big.numerator(), IBig::ONE]);
        assert_eq!(to_small_integers(&vector), None);
    }
}
