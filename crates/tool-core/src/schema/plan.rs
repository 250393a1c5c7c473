//! A fast check that detects valid arguments without the validator.

mod check;
mod compile;
mod key;
mod read;
#[cfg(test)]
mod tests;

use self::key::QuotedKey;

/// The constraints of a schema that uses only common keywords.
///
/// A plan only confirms that arguments are valid. The validator handles all other arguments and
/// schemas.
#[derive(Debug)]
pub(super) struct Plan {
    /// Constraints by index. The first is the root's.
    schemas: Vec<Constraints>,
}

/// The constraints of one schema.
#[derive(Debug)]
struct Constraints {
    types: TypeSet,
    /// Whether the kind is the only constraint.
    has_only_type: bool,
    /// The allowed strings, if limited.
    choices: Option<Vec<Box<str>>>,
    /// Bounds of an integer.
    at_least: i128,
    at_most: i128,
    /// Bounds of a string's length in characters.
    length: Bounds,
    /// Bounds of an array's number of items.
    count: Bounds,
    items: Option<usize>,
    members: Vec<Member>,
    required: usize,
    /// Whether unlisted members are rejected.
    is_closed: bool,
    /// Indices of constraints that must all match.
    all: Vec<usize>,
    /// Groups of indices; in each group, one must match.
    any: Vec<Vec<usize>>,
}

impl Default for Constraints {
    /// Accepts any value.
    fn default() -> Self {
        Self {
            types: TypeSet::ALL,
            has_only_type: false,
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

/// A member of an object.
#[derive(Debug)]
struct Member {
    name: Box<str>,
    /// The quoted name. `None` if it needs an escape.
    quoted: Option<QuotedKey>,
    constraints: usize,
    is_required: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Bounds {
    least: Option<usize>,
    most: Option<usize>,
}

/// A set of value kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TypeSet(u8);

impl TypeSet {
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(1 << 1);
    const INTEGER: Self = Self(1 << 2);
    const FRACTION: Self = Self(1 << 3);
    const STRING: Self = Self(1 << 4);
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
