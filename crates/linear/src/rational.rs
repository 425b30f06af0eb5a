//! Exact rational numbers: inline 64-bit fractions, with arbitrary precision as the fallback.
//!
//! Invariants. A value is always in lowest terms with a positive denominator, and it is stored inline *whenever* its
//! numerator lies in `-(2^63 - 1) ..= 2^63 - 1` and its denominator in `1 ..= 2^63 - 1`. The representation of a value
//! is therefore unique, so equality and hashing may be derived. `i64::MIN` is never stored inline: negation and absolute
//! value of an inline number cannot overflow.
//!
//! Why two representations: the programs that this crate is for have coefficients of one or two digits, and almost
//! every intermediate value fits. Always using big rationals costs three to ten times as much; using 128-bit fractions
//! only moves the cliff, it does not remove it. Every inline operation is checked or carried out in 128 bits, whose
//! range cannot be exceeded by the products and sums of two inline numbers (stated at each place).

use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroI64;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use dashu::integer::IBig;
use dashu::rational::RBig;

/// An exact rational number of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Numerator and denominator, see the invariants above. The non-zero denominator leaves room for the tag of the
    /// other variant: the whole enum takes 16 bytes.
    Small(i64, NonZeroI64),
    Big(Box<RBig>),
}

const UNIT: NonZeroI64 = NonZeroI64::new(1).unwrap();

/// Largest magnitude of an inline numerator or denominator.
const SMALL_MAX: i128 = i64::MAX as i128;

impl Rational {
    /// The number zero.
    pub const ZERO: Rational = Rational(Repr::Small(0, UNIT));
    /// The number one.
    pub const ONE: Rational = Rational(Repr::Small(1, UNIT));

    /// The fraction `numerator / denominator` in lowest terms.
    ///
    /// # Panics
    /// If `denominator` is zero.
    pub fn new(numerator: i64, denominator: i64) -> Rational {
        assert!(denominator != 0, "a fraction needs a denominator other than zero");
        let (numerator, denominator) = (i128::from(numerator), i128::from(denominator));
        let sign = denominator.signum();
        reduced(numerator * sign, denominator * sign)
    }

    /// Numerator in lowest terms; carries the sign.
    pub fn numerator(&self) -> IBig {
        match &self.0 {
            Repr::Small(numerator, _) => IBig::from(*numerator),
            Repr::Big(big) => big.numerator().clone(),
        }
    }

    /// Denominator in lowest terms; positive.
    pub fn denominator(&self) -> IBig {
        match &self.0 {
            Repr::Small(_, denominator) => IBig::from(denominator.get()),
            Repr::Big(big) => IBig::from(big.denominator().clone()),
        }
    }

    /// Whether the number is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// Whether the number has denominator one.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, denominator) => denominator.get() == 1,
            Repr::Big(big) => big.is_int(),
        }
    }

    /// The sign as a comparison with zero.
    #[inline]
    pub fn sign(&self) -> Ordering {
        match &self.0 {
            Repr::Small(numerator, _) => numerator.cmp(&0),
            // Zero is always inline, so a big number is positive or negative.
            Repr::Big(big) => match big.sign() {
                dashu::base::Sign::Positive => Ordering::Greater,
                dashu::base::Sign::Negative => Ordering::Less,
            },
        }
    }

    /// Whether the number is greater than zero.
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.sign() == Ordering::Greater
    }

    /// Whether the number is less than zero.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.sign() == Ordering::Less
    }

    /// The absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The largest integer that is not greater than the number.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Repr::Small(numerator, denominator) => {
                Rational(Repr::Small(numerator.div_euclid(denominator.get()), UNIT))
            }
            Repr::Big(_) => {
                use dashu::base::DivEuclid;
                Rational::from(RBig::from(self.numerator().div_euclid(self.denominator())))
            }
        }
    }

    /// The smallest integer that is not less than the number.
    pub fn ceil(&self) -> Rational {
        -(-self).floor()
    }

    /// The value as an `i64`, if it is an integer and fits.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(numerator, denominator) if denominator.get() == 1 => Some(*numerator),
            Repr::Small(..) => None,
            Repr::Big(big) if big.is_int() => i64::try_from(big.numerator().clone()).ok(),
            Repr::Big(_) => None,
        }
    }

    /// A nearby float. Values beyond the range of floats become infinite.
    #[inline]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::Small(numerator, denominator) => *numerator as f64 / denominator.get() as f64,
            Repr::Big(big) => big.to_f64().value(),
        }
    }

    /// `self -= left * right`, the inner step of every elimination.
    #[inline]
    pub fn subtract_product(&mut self, left: &Rational, right: &Rational) {
        if let (Repr::Small(a, da), Repr::Small(b, db), Repr::Small(c, dc)) = (&self.0, &left.0, &right.0)
            && da.get() == 1
            && db.get() == 1
            && dc.get() == 1
        {
            // |b * c| < 2^126 and |a| < 2^63: no overflow in 128 bits.
            *self = small_integer(i128::from(*a) - i128::from(*b) * i128::from(*c));
            return;
        }
        *self = &*self - &(left * right);
    }

    fn to_big(&self) -> RBig {
        match &self.0 {
            Repr::Small(numerator, denominator) => {
                RBig::from_parts_signed(IBig::from(*numerator), IBig::from(denominator.get()))
            }
            Repr::Big(big) => RBig::clone(big),
        }
    }
}

impl From<RBig> for Rational {
    fn from(value: RBig) -> Rational {
        if let (Ok(numerator), Ok(denominator)) =
            (i64::try_from(value.numerator().clone()), i64::try_from(value.denominator().clone()))
            && numerator != i64::MIN
            && let Some(denominator) = NonZeroI64::new(denominator)
        {
            return Rational(Repr::Small(numerator, denominator));
        }
        Rational(Repr::Big(Box::new(value)))
    }
}

impl From<IBig> for Rational {
    fn from(value: IBig) -> Rational {
        Rational::from(RBig::from(value))
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(value: i64) -> Rational {
        small_integer(i128::from(value))
    }
}

impl From<i32> for Rational {
    fn from(value: i32) -> Rational {
        Rational::from(i64::from(value))
    }
}

impl From<&Rational> for RBig {
    fn from(value: &Rational) -> RBig {
        value.to_big()
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            // Products of two inline numbers stay below 2^126.
            (Repr::Small(a, da), Repr::Small(b, db)) => {
                if da == db {
                    a.cmp(b)
                } else {
                    (i128::from(*a) * i128::from(db.get())).cmp(&(i128::from(*b) * i128::from(da.get())))
                }
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(numerator, denominator) if denominator.get() == 1 => numerator.fmt(formatter),
            Repr::Small(numerator, denominator) => formatter.pad(&format!("{numerator}/{denominator}")),
            Repr::Big(big) => formatter.pad(&big.to_string()),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        match &self.0 {
            // An inline numerator is never `i64::MIN`, and a negated big number stays big: the range is symmetric.
            Repr::Small(numerator, denominator) => Rational(Repr::Small(-numerator, *denominator)),
            Repr::Big(big) => Rational(Repr::Big(Box::new(-RBig::clone(big)))),
        }
    }
}

impl Neg for Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        -&self
    }
}

impl Add for &Rational {
    type Output = Rational;
    #[inline]
    fn add(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, da), Repr::Small(b, db)) => add_small((*a, *da), (*b, *db)),
            _ => Rational::from(self.to_big() + other.to_big()),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;
    #[inline]
    fn sub(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, da), Repr::Small(b, db)) => add_small((*a, *da), (-*b, *db)),
            _ => Rational::from(self.to_big() - other.to_big()),
        }
    }
}

impl Mul for &Rational {
    type Output = Rational;
    #[inline]
    fn mul(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, da), Repr::Small(b, db)) => multiply_small((*a, *da), (*b, *db)),
            _ => Rational::from(self.to_big() * other.to_big()),
        }
    }
}

impl Div for &Rational {
    type Output = Rational;
    /// # Panics
    /// If `other` is zero.
    #[inline]
    fn div(self, other: &Rational) -> Rational {
        assert!(!other.is_zero(), "division of a rational number by zero");
        match (&self.0, &other.0) {
            (Repr::Small(a, da), Repr::Small(b, db)) => {
                let numerator = if *b < 0 { -db.get() } else { db.get() };
                match NonZeroI64::new(b.abs()) {
                    Some(denominator) => multiply_small((*a, *da), (numerator, denominator)),
                    None => unreachable!("the divisor was checked above"),
                }
            }
            _ => Rational::from(self.to_big() / other.to_big()),
        }
    }
}

macro_rules! forward_by_value {
    ($($operator:ident $method:ident $assign:ident $assign_method:ident;)*) => {$(
        impl $operator for Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: Rational) -> Rational {
                (&self).$method(&other)
            }
        }
        impl $operator<&Rational> for Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: &Rational) -> Rational {
                (&self).$method(other)
            }
        }
        impl $assign<&Rational> for Rational {
            #[inline]
            fn $assign_method(&mut self, other: &Rational) {
                *self = (&*self).$method(other);
            }
        }
        impl $assign for Rational {
            #[inline]
            fn $assign_method(&mut self, other: Rational) {
                *self = (&*self).$method(&other);
            }
        }
    )*};
}

forward_by_value! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
}

impl std::iter::Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(numbers: I) -> Rational {
        numbers.fold(Rational::ZERO, |total, number| total + number)
    }
}

type Fraction = (i64, NonZeroI64);

/// Sum of two inline fractions. Dividing by the common factor of the denominators first keeps every greatest common
/// divisor in 64 bits (Knuth, The Art of Computer Programming, volume 2, section 4.5.1).
#[inline]
fn add_small((a, da): Fraction, (b, db): Fraction) -> Rational {
    if da == UNIT && db == UNIT {
        return small_integer(i128::from(a) + i128::from(b));
    }
    let common = gcd(da.get().unsigned_abs(), db.get().unsigned_abs()) as i64;
    let (left_factor, right_factor) = (db.get() / common, da.get() / common);
    // Each product is below 2^126, so the sum fits in 128 bits.
    let sum = i128::from(a) * i128::from(left_factor) + i128::from(b) * i128::from(right_factor);
    let shared = gcd((sum % i128::from(common)).unsigned_abs() as u64, common as u64) as i64;
    from_wide(sum / i128::from(shared), i128::from(right_factor) * i128::from(db.get() / shared))
}

/// Product of two inline fractions: cancelling crosswise leaves it in lowest terms.
#[inline]
fn multiply_small((a, da): Fraction, (b, db): Fraction) -> Rational {
    if da == UNIT && db == UNIT {
        return small_integer(i128::from(a) * i128::from(b));
    }
    if a == 0 || b == 0 {
        return Rational::ZERO;
    }
    let first = gcd(a.unsigned_abs(), db.get().unsigned_abs()) as i64;
    let second = gcd(b.unsigned_abs(), da.get().unsigned_abs()) as i64;
    from_wide(
        i128::from(a / first) * i128::from(b / second),
        i128::from(da.get() / second) * i128::from(db.get() / first),
    )
}

/// The integer `value`, inline if it fits.
#[inline]
fn small_integer(value: i128) -> Rational {
    from_wide(value, 1)
}

/// A fraction that is in lowest terms already and has a positive denominator.
#[inline]
fn from_wide(numerator: i128, denominator: i128) -> Rational {
    if numerator.unsigned_abs() <= SMALL_MAX as u128
        && denominator <= SMALL_MAX
        && let Some(denominator) = NonZeroI64::new(denominator as i64)
    {
        return Rational(Repr::Small(numerator as i64, denominator));
    }
    wide_to_big(numerator, denominator)
}

#[cold]
fn wide_to_big(numerator: i128, denominator: i128) -> Rational {
    Rational(Repr::Big(Box::new(RBig::from_parts_signed(IBig::from(numerator), IBig::from(denominator)))))
}

/// A fraction with a positive denominator, brought to lowest terms. Both parts are at most 2^63 in magnitude.
fn reduced(numerator: i128, denominator: i128) -> Rational {
    let common = gcd(numerator.unsigned_abs() as u64, denominator.unsigned_abs() as u64);
    from_wide(numerator / i128::from(common), denominator / i128::from(common))
}

/// Greatest common divisor by halving; `gcd(0, b) = b`.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    if a == 1 || b == 1 {
        return 1;
    }
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a << shift
}
