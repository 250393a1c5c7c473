//! Numbers: exact integers, and floats that say what was written. Whole floats become integers.

/// The largest float below which all integers have an exact float.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Maximum number of digits that fit an `i64` regardless of their values.
const MAX_DIGITS: usize = 18;

/// A JSON number as JSON Schema defines it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    /// A non-negative integer.
    Unsigned(u64),
    /// A negative integer.
    Signed(i64),
    /// Any other number; always finite.
    Float(f64),
}

impl Number {
    /// Converts `digits`, which must be a JSON number. Returns `None` for a number beyond 2^53 that neither an integer nor
    /// a float of 64 bits holds as written.
    pub(crate) fn read(digits: &str, is_integer: bool) -> Option<Self> {
        if is_integer {
            // Not through a float, which would round integers beyond 2^53.
            if let Ok(number) = digits.parse() {
                return Some(Self::Unsigned(number));
            }
            // `-0` parses as a signed number and becomes 0.
            if let Ok(number) = digits.parse::<i64>() {
                return Some(Self::from_signed(number));
            }
        }
        // Fractions are approximations in every program. Large numbers are often identifiers, and a rounded one is another.
        let float: f64 = digits.parse().ok()?;
        let is_kept = float.abs() < LARGEST_EXACT
            || significant(digits) == significant(&format!("{float:e}"));
        is_kept.then(|| Self::from_float(float))
    }

    /// Converts a `serde_json` number; whole floats become integers.
    pub(crate) fn of_json(number: &serde_json::Number) -> Self {
        if let Some(number) = number.as_u64() {
            return Self::Unsigned(number);
        }
        match number.as_i64() {
            Some(number) => Self::Signed(number),
            None => Self::from_float(number.as_f64().unwrap_or_default()),
        }
    }

    #[inline]
    pub(crate) fn as_i64(self) -> Option<i64> {
        match self {
            Self::Unsigned(number) => i64::try_from(number).ok(),
            Self::Signed(number) => Some(number),
            Self::Float(_) => None,
        }
    }

    #[inline]
    pub(crate) fn as_u64(self) -> Option<u64> {
        match self {
            Self::Unsigned(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the nearest float.
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        reason = "callers request the nearest float"
    )]
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Unsigned(number) => number as f64,
            Self::Signed(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    #[inline]
    pub(crate) fn from_signed(number: i64) -> Self {
        u64::try_from(number).map_or(Self::Signed(number), Self::Unsigned)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is whole and at most 2^53"
    )]
    fn from_float(float: f64) -> Self {
        // Models write `1.0` for integers. Beyond 2^53, a float no longer says which integer was meant.
        if float.abs() <= LARGEST_EXACT && float.fract() == 0.0 {
            Self::from_signed(float as i64)
        } else {
            Self::Float(float)
        }
    }
}

/// Returns the digits of a number from the first to the last one that is not zero.
fn significant(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// Reads an integer of at most 18 digits at the start of `text`. Returns it and its length, or `None` for any other number.
#[inline]
pub(crate) fn short_integer(text: &[u8]) -> Option<(i64, usize)> {
    let is_negative = text.first() == Some(&b'-');
    let digits = text.get(usize::from(is_negative)..)?;
    let mut magnitude = 0_i64;
    let mut length = 0;
    let after = loop {
        match digits.get(length) {
            Some(digit @ b'0'..=b'9') if length < MAX_DIGITS => {
                magnitude = magnitude * 10 + i64::from(*digit - b'0');
                length += 1;
            }
            after => break after,
        }
    };
    // RFC 8259, section 6, forbids leading zeros; the parser reports them.
    let has_leading_zero = length > 1 && digits.first() == Some(&b'0');
    let continues = matches!(after, Some(b'0'..=b'9' | b'.' | b'e' | b'E'));
    if length == 0 || has_leading_zero || continues {
        return None;
    }
    let integer = if is_negative { -magnitude } else { magnitude };
    Some((integer, length + usize::from(is_negative)))
}
