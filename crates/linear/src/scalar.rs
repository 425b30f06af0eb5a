//! The two kinds of numbers that the one simplex of this crate runs on.
//!
//! The simplex is generic so that the floating-point guess and the exact answer are the same code; only tolerances
//! differ, and they are asked for through this trait. Exact numbers ignore every tolerance.

use std::cmp::Ordering;

use crate::rational::Rational;

pub(crate) trait Scalar: Clone {
    /// Whether results are exact, so that no tolerance, perturbation or recomputation is called for.
    const EXACT: bool;

    fn zero() -> Self;
    fn one() -> Self;
    fn from_rational(value: &Rational) -> Self;
    fn to_f64(&self) -> f64;
    fn is_zero(&self) -> bool;
    /// Comparison with zero; values within `tolerance` of it count as zero unless numbers are exact.
    fn sign(&self, tolerance: f64) -> Ordering;
    fn compare(&self, other: &Self) -> Ordering;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn over(&self, other: &Self) -> Self;
    fn negated(&self) -> Self;
    /// `self -= left * right`
    fn subtract_product(&mut self, left: &Self, right: &Self);
    /// Replaces a value that is only rounding noise by zero.
    fn settle(&mut self);
}

/// Results of eliminations below this are rounding noise of floats.
const NOISE: f64 = 1e-13;

impl Scalar for f64 {
    const EXACT: bool = false;

    fn zero() -> f64 {
        0.0
    }
    fn one() -> f64 {
        1.0
    }
    fn from_rational(value: &Rational) -> f64 {
        value.to_f64()
    }
    #[inline]
    fn to_f64(&self) -> f64 {
        *self
    }
    #[inline]
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
    #[inline]
    fn sign(&self, tolerance: f64) -> Ordering {
        if *self > tolerance {
            Ordering::Greater
        } else if *self < -tolerance {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }
    #[inline]
    fn compare(&self, other: &f64) -> Ordering {
        self.total_cmp(other)
    }
    #[inline]
    fn plus(&self, other: &f64) -> f64 {
        self + other
    }
    #[inline]
    fn minus(&self, other: &f64) -> f64 {
        self - other
    }
    #[inline]
    fn times(&self, other: &f64) -> f64 {
        self * other
    }
    #[inline]
    fn over(&self, other: &f64) -> f64 {
        self / other
    }
    #[inline]
    fn negated(&self) -> f64 {
        -self
    }
    #[inline]
    fn subtract_product(&mut self, left: &f64, right: &f64) {
        *self -= left * right;
    }
    #[inline]
    fn settle(&mut self) {
        if self.abs() < NOISE {
            *self = 0.0;
        }
    }
}

impl Scalar for Rational {
    const EXACT: bool = true;

    fn zero() -> Rational {
        Rational::ZERO
    }
    fn one() -> Rational {
        Rational::ONE
    }
    fn from_rational(value: &Rational) -> Rational {
        value.clone()
    }
    #[inline]
    fn to_f64(&self) -> f64 {
        Rational::to_f64(self)
    }
    #[inline]
    fn is_zero(&self) -> bool {
        Rational::is_zero(self)
    }
    #[inline]
    fn sign(&self, _tolerance: f64) -> Ordering {
        Rational::sign(self)
    }
    #[inline]
    fn compare(&self, other: &Rational) -> Ordering {
        self.cmp(other)
    }
    #[inline]
    fn plus(&self, other: &Rational) -> Rational {
        self + other
    }
    #[inline]
    fn minus(&self, other: &Rational) -> Rational {
        self - other
    }
    #[inline]
    fn times(&self, other: &Rational) -> Rational {
        self * other
    }
    #[inline]
    fn over(&self, other: &Rational) -> Rational {
        self / other
    }
    #[inline]
    fn negated(&self) -> Rational {
        -self
    }
    #[inline]
    fn subtract_product(&mut self, left: &Rational, right: &Rational) {
        Rational::subtract_product(self, left, right);
    }
    #[inline]
    fn settle(&mut self) {}
}
