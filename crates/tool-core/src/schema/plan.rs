//! A fast check that detects valid arguments without the validator.

mod compile;
mod read;

use tool_json::JsonView;

use crate::JsonRef;

/// Whether arguments match a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Valid, without unknown members.
    Plain,
    /// Valid, possibly with unknown members.
    Valid,
    /// Invalid.
    Not,
}

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
#[derive(Debug, Clone)]
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
        }
    }
}

/// A member of an object.
#[derive(Debug, Clone)]
struct Member {
    name: Box<str>,
    /// The quoted name. `None` if it needs an escape.
    quoted: Option<Box<str>>,
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

impl Plan {
    /// Checks `arguments`. Returns `None` if the result is uncertain.
    #[inline]
    pub(super) fn fit(&self, arguments: JsonRef<'_>) -> Option<Fit> {
        let mut check = Check::new(self);
        let fits = check.fits(0, arguments);
        let how = if check.is_plain {
            Fit::Plain
        } else {
            Fit::Valid
        };
        fits.then_some(how)
    }
}

struct Check<'p> {
    plan: &'p Plan,
    /// Whether every member so far is listed in its schema.
    is_plain: bool,
}

impl<'p> Check<'p> {
    fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            is_plain: true,
        }
    }

    /// Returns `true` if the value is known to match and has only listed members.
    #[inline]
    fn is_plain_fit(&mut self, constraints: usize, node: JsonRef<'_>) -> bool {
        self.fits(constraints, node) && self.is_plain
    }

    /// Returns `true` if the value is known to match. The depth of the value limits the recursion.
    #[inline]
    fn fits(&mut self, constraints: usize, node: JsonRef<'_>) -> bool {
        match self.plan.schemas.get(constraints) {
            Some(constraints) if constraints.has_only_type => constraints.types.has(kind_of(node)),
            Some(constraints) => self.fits_whole(constraints, node),
            None => false,
        }
    }

    fn fits_whole(&mut self, constraints: &'p Constraints, node: JsonRef<'_>) -> bool {
        match node.view() {
            JsonView::Null => constraints.types.has(TypeSet::NULL),
            JsonView::Boolean(_) => constraints.types.has(TypeSet::BOOLEAN),
            JsonView::Integer(integer) => constraints.allows_integer(integer),
            JsonView::Float(float) => constraints.allows_float(float),
            JsonView::String(text) => constraints.allows_text(text),
            JsonView::Array(count) => {
                let fits = constraints.types.has(TypeSet::ARRAY) && constraints.count.hold(count);
                fits && self.fits_items(constraints, node)
            }
            JsonView::Object(_) => {
                constraints.types.has(TypeSet::OBJECT) && self.fits_members(constraints, node)
            }
        }
    }

    fn fits_items(&mut self, constraints: &'p Constraints, node: JsonRef<'_>) -> bool {
        let Some(items) = constraints.items else {
            return true;
        };
        let mut each = node.items();
        each.all(|item| self.fits(items, item))
    }

    /// Returns `true` if the members match. Checks the member after the previous one first, because
    /// models usually send members in schema order.
    fn fits_members(&mut self, constraints: &'p Constraints, node: JsonRef<'_>) -> bool {
        let mut position = constraints.members.as_slice();
        let mut required = 0;
        for (name, value) in node.members() {
            // Models mostly keep the declared order, so the next member is tried first.
            let is_next = position.first().is_some_and(|next| *next.name == *name);
            if !is_next {
                let place = constraints
                    .members
                    .iter()
                    .position(|known| *known.name == *name);
                match place.and_then(|place| constraints.members.get(place..)) {
                    Some(found) => position = found,
                    None if constraints.is_closed => return false,
                    None => {
                        self.is_plain = false;
                        continue;
                    }
                }
            }
            let Some((member, rest)) = position.split_first() else {
                return false;
            };
            position = rest;
            required += usize::from(member.is_required);
            if !self.fits(member.constraints, value) {
                return false;
            }
        }
        required == constraints.required
    }
}

impl Constraints {
    #[inline]
    fn allows_integer(&self, integer: i128) -> bool {
        self.types.has(TypeSet::INTEGER) && (self.at_least..=self.at_most).contains(&integer)
    }

    /// Returns `true` if floats are allowed without bounds. Only the validator compares bounds
    /// exactly.
    fn allows_float(&self, float: f64) -> bool {
        self.types.has(kind_of_float(float))
            && self.at_least == i128::MIN
            && self.at_most == i128::MAX
    }

    #[inline]
    fn allows_text(&self, text: &str) -> bool {
        let is_allowed = |choices: &Vec<Box<str>>| choices.iter().any(|choice| **choice == *text);
        self.types.has(TypeSet::STRING)
            && self.choices.as_ref().is_none_or(is_allowed)
            && (self.length.are_none() || self.length.hold(text.chars().count()))
    }
}

impl Bounds {
    #[inline]
    fn are_none(self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    #[inline]
    fn hold(self, size: usize) -> bool {
        self.least.is_none_or(|least| size >= least) && self.most.is_none_or(|most| size <= most)
    }
}

#[inline]
fn kind_of(node: JsonRef<'_>) -> TypeSet {
    match node.view() {
        JsonView::Null => TypeSet::NULL,
        JsonView::Boolean(_) => TypeSet::BOOLEAN,
        JsonView::Integer(_) => TypeSet::INTEGER,
        JsonView::Float(float) => kind_of_float(float),
        JsonView::String(_) => TypeSet::STRING,
        JsonView::Array(_) => TypeSet::ARRAY,
        JsonView::Object(_) => TypeSet::OBJECT,
    }
}

#[inline]
fn kind_of_float(float: f64) -> TypeSet {
    if float.fract() == 0.0 {
        TypeSet::INTEGER
    } else {
        TypeSet::FRACTION
    }
}

#[cfg(test)]
mod tests;
