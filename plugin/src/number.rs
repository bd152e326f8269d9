//! Terraform's numbers: exact decimals.
//!
//! Terraform computes with 512 bits, so a number may be far from any machine type. Nearly all are
//! small integers, and those cost no allocation. Numbers are equal when their values are (`1.0` is
//! `1`). There is no infinity, and text from outside cannot make a number that is costly to hold.

use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive};

/// Enough for any binary float and for all the digits of a 512 bit number.
const MAX_DIGITS: NonZeroU64 = NonZeroU64::new(800).expect("not zero");
/// Far beyond what a program means; keeps `1e999999999` from becoming a gigabyte of zeros.
const MAX_EXPONENT: i64 = 10_000;
const MAX_TEXT: usize = 16 * 1024;

/// An exact decimal number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Repr);

/// One value has exactly one form, so equality and hash can be derived.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Int(i64),
    /// Not an `i64`, and without trailing zeros.
    Big(Box<BigDecimal>),
}

/// A text or float that is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Not a decimal number at all, or not a finite one.
    #[error("not a finite decimal number")]
    Malformed,
    /// Too long, or too large or small an exponent.
    #[error("a number beyond what Terraform can hold")]
    OutOfRange,
}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Int(0));

    /// The exact value of a float; infinity and NaN are refused.
    pub fn from_f64(float: f64) -> Result<Self, NumberError> {
        BigDecimal::try_from(float)
            .map(|big| Self::from_big(&big))
            .map_err(|_| NumberError::Malformed)
    }

    /// The value as an integer, if it is one and fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Int(int) => Some(int),
            Repr::Big(_) => None,
        }
    }

    /// The value as an integer, if it is one and fits.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Int(int) => u64::try_from(*int).ok(),
            Repr::Big(big) if big.is_integer() => big.to_u64(),
            Repr::Big(_) => None,
        }
    }

    /// The value as a float, if a float can hold it exactly.
    pub fn as_exact_f64(&self) -> Option<f64> {
        let float = self.to_f64();
        let exact = float.is_finite() && Self::from_f64(float).as_ref() == Ok(self);
        exact.then_some(float)
    }

    /// The nearest float.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked")]
            Repr::Int(int) => *int as f64,
            // The standard library's parser rounds correctly and goes to infinity when it must.
            Repr::Big(big) => big.to_scientific_notation().parse().unwrap_or(f64::NAN),
        }
    }

    /// Whether it has no fraction.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Int(_) => true,
            Repr::Big(big) => big.is_integer(),
        }
    }

    fn from_big(big: &BigDecimal) -> Self {
        if big.is_integer()
            && let Some(int) = big.to_i64()
        {
            return Self(Repr::Int(int));
        }
        Self(Repr::Big(Box::new(big.normalized())))
    }
}

impl Default for Number {
    fn default() -> Self {
        Self::ZERO
    }
}

macro_rules! from_small {
    ($($int:ty),*) => {$(
        impl From<$int> for Number {
            fn from(int: $int) -> Self {
                Self(Repr::Int(i64::from(int)))
            }
        }
    )*};
}

from_small!(i8, i16, i32, i64, u8, u16, u32);

impl From<u64> for Number {
    fn from(int: u64) -> Self {
        match i64::try_from(int) {
            Ok(int) => Self(Repr::Int(int)),
            Err(_) => Self::from_big(&BigDecimal::from(int)),
        }
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        if let Some(int) = plain_int(text) {
            return Ok(Self(Repr::Int(int)));
        }
        check_text(text)?;
        let big = BigDecimal::from_str(text).map_err(|_| NumberError::Malformed)?;
        let big = if big.digits() > MAX_DIGITS.get() {
            big.with_precision_round(MAX_DIGITS, RoundingMode::HalfEven)
        } else {
            big
        };
        Ok(Self::from_big(&big))
    }
}

/// The text is an `i64` in plain digits (what the standard parser takes, minus a leading `+`).
fn plain_int(text: &str) -> Option<i64> {
    if text.starts_with('+') { None } else { text.parse().ok() }
}

/// Refuses what the decimal library would take (`_`, spaces) or choke on (huge exponents).
fn check_text(text: &str) -> Result<(), NumberError> {
    if text.len() > MAX_TEXT {
        return Err(NumberError::OutOfRange);
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
        return Err(NumberError::Malformed);
    }
    exponent.map_or(Ok(()), check_exponent)
}

fn check_exponent(text: &str) -> Result<(), NumberError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberError::Malformed);
    }
    match digits.parse::<i64>() {
        Ok(exponent) if exponent <= MAX_EXPONENT => Ok(()),
        _ => Err(NumberError::OutOfRange),
    }
}

/// By value.
impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Int(left), Repr::Int(right)) => left.cmp(right),
            (Repr::Int(left), Repr::Big(right)) => BigDecimal::from(*left).cmp(right),
            (Repr::Big(left), Repr::Int(right)) => (**left).cmp(&BigDecimal::from(*right)),
            (Repr::Big(left), Repr::Big(right)) => left.cmp(right),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// All digits, never an exponent: the way Terraform writes numbers.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Int(int) => int.fmt(f),
            Repr::Big(big) => big.write_plain_string(f),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_are_equal_by_value() {
        assert_eq!(number("1.0"), number("1"));
        assert_eq!(number("1e3"), Number::from(1000));
        assert_eq!(number("0.10"), number("1E-1"));
        assert_eq!(number("-0"), Number::ZERO);
        assert_eq!(number("-0.000"), Number::ZERO);
        assert_ne!(number("0.1"), Number::from_f64(0.1).unwrap());
    }

    #[test]
    fn numbers_are_ordered_by_value_across_sizes() {
        let mut all = ["1e30", "2", "-1e30", "1.5", "9223372036854775808"].map(number);
        all.sort();
        assert_eq!(all, ["-1e30", "1.5", "2", "9223372036854775808", "1e30"].map(number));
    }

    #[test]
    fn integers_beyond_64_bits_keep_every_digit() {
        let text = "340282366920938463463374607431768211457";
        assert_eq!(number(text).to_string(), text);
        assert_eq!(number(&u64::MAX.to_string()).as_u64(), Some(u64::MAX));
        assert_eq!(number("9223372036854775808").as_i64(), None);
        assert_eq!(number("-9223372036854775808").as_i64(), Some(i64::MIN));
    }

    #[test]
    fn only_what_a_float_holds_exactly_is_a_float() {
        assert_eq!(number("0.5").as_exact_f64(), Some(0.5));
        assert_eq!(number("0.1").as_exact_f64(), None);
        assert_eq!(number("1e400").as_exact_f64(), None);
        assert_eq!(
            number("18446744073709551616").as_exact_f64(),
            Some(18_446_744_073_709_551_616.0)
        );
    }

    #[test]
    fn no_text_makes_a_costly_number() {
        assert_eq!("1e999999999".parse::<Number>(), Err(NumberError::OutOfRange));
        assert_eq!("1e-99999999999999999999".parse::<Number>(), Err(NumberError::OutOfRange));
        assert_eq!("1".repeat(20_000).parse::<Number>(), Err(NumberError::OutOfRange));
        assert_eq!(number(&format!("0.{}", "3".repeat(5000))).to_string().len(), 802);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "e5", "1e", "1_000", " 1", "inf", "NaN", "0x10", "1.2.3", "--1"]
        {
            assert_eq!(text.parse::<Number>(), Err(NumberError::Malformed), "{text}");
        }
        assert_eq!(Number::from_f64(f64::INFINITY), Err(NumberError::Malformed));
    }
}
