//! A short way to the verdict that most calls get: these arguments surely fit.

mod check;
mod compile;
mod key;
mod read;
#[cfg(test)]
mod tests;

use self::key::QuotedKey;

/// What a schema demands, where it says so in the keywords that tools use.
///
/// It only ever says that arguments fit. Everything else, and every schema with other keywords, is for the validator.
#[derive(Debug)]
pub(super) struct Plan {
    /// The first one is the root's.
    demands: Vec<Demand>,
}

/// What one schema demands of a value.
#[derive(Debug)]
struct Demand {
    kinds: Kinds,
    /// Whether nothing else is demanded.
    is_of_kind_only: bool,
    /// The texts that are allowed, where not all are.
    choices: Option<Vec<Box<str>>>,
    /// Bounds of an integer.
    at_least: i128,
    at_most: i128,
    /// Bounds on the characters of a text.
    length: Bounds,
    /// Bounds on the items of an array.
    count: Bounds,
    items: Option<usize>,
    members: Vec<Member>,
    required: usize,
    /// Whether there may be no other members.
    is_closed: bool,
    /// Demands that must be met too.
    all: Vec<usize>,
    /// Of each of these groups, one demand must be met.
    any: Vec<Vec<usize>>,
}

impl Default for Demand {
    /// Nothing is demanded.
    fn default() -> Self {
        Self {
            kinds: Kinds::ALL,
            is_of_kind_only: false,
            choices: None,
            at_least: i128::MIN,
            at_most: i128::MAX,
            length: Bounds::default(),
            count: Bounds::default(),
            items: None,
            members: Vec::new(),
            required: 0,
            is_closed: false,
            all: Vec::new(),
            any: Vec::new(),
        }
    }
}

/// A member that an object may have.
#[derive(Debug)]
struct Member {
    name: Box<str>,
    /// The name between quotes, as a text has it; none where that needs an escape.
    quoted: Option<QuotedKey>,
    demand: usize,
    is_required: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Bounds {
    least: Option<usize>,
    most: Option<usize>,
}

/// A set of kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kinds(u8);

impl Kinds {
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(1 << 1);
    const INTEGER: Self = Self(1 << 2);
    const FRACTION: Self = Self(1 << 3);
    const TEXT: Self = Self(1 << 4);
    const ARRAY: Self = Self(1 << 5);
    const OBJECT: Self = Self(1 << 6);
    const ALL: Self = Self((1 << 7) - 1);
    const NONE: Self = Self(0);

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }
}
