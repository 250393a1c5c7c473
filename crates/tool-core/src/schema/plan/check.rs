//! Checks arguments against a plan.

use tool_json::JsonView;

use super::super::fit::Fit;
use super::{Bounds, Demand, Kinds, Plan};
use crate::JsonRef;

/// Maximum combined demands to check per call. The validator handles schemas that need more.
const MOST_STEPS: u32 = 100_000;
/// Maximum depth of combined demands. Bounds schemas that refer to themselves.
const MOST_DEPTH: u32 = 256;

impl Plan {
    /// Checks `arguments`. Returns `None` if the result is uncertain.
    #[inline]
    pub(in crate::schema) fn fit(&self, arguments: JsonRef<'_>) -> Option<Fit> {
        let mut check = Check::new(self);
        let fits = check.fits(0, arguments, MOST_DEPTH);
        let how = if check.is_plain {
            Fit::Plain
        } else {
            Fit::Valid
        };
        fits.then_some(how)
    }
}

pub(super) struct Check<'p> {
    pub(super) plan: &'p Plan,
    /// Remaining steps.
    steps: u32,
    /// Whether every member so far is listed in its schema.
    is_plain: bool,
}

impl<'p> Check<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            steps: MOST_STEPS,
            is_plain: true,
        }
    }

    /// Returns `true` if the value is known to match and has only listed members.
    #[inline]
    pub(super) fn is_plain_fit(&mut self, demand: usize, node: JsonRef<'_>) -> bool {
        self.fits(demand, node, MOST_DEPTH) && self.is_plain
    }

    #[inline]
    fn fits(&mut self, demand: usize, node: JsonRef<'_>, depth: u32) -> bool {
        match self.plan.demands.get(demand) {
            Some(demand) if demand.is_of_kind_only => demand.kinds.has(kind_of(node)),
            Some(demand) => self.fits_whole(demand, node, depth),
            None => false,
        }
    }

    fn fits_whole(&mut self, demand: &'p Demand, node: JsonRef<'_>, depth: u32) -> bool {
        self.fits_itself(demand, node, depth)
            && (demand.is_alone() || self.fits_others(demand, node, depth))
    }

    /// Returns `true` if the value matches the demands combined with `demand`.
    fn fits_others(&mut self, demand: &'p Demand, node: JsonRef<'_>, depth: u32) -> bool {
        let (Some(steps), Some(depth)) = (self.steps.checked_sub(1), depth.checked_sub(1)) else {
            return false;
        };
        self.steps = steps;
        let mut all = demand.all.iter();
        let mut any = demand.any.iter();
        all.all(|also| self.fits(*also, node, depth))
            && any.all(|group| {
                let mut group = group.iter();
                group.any(|either| self.fits(*either, node, depth))
            })
    }

    #[inline]
    fn fits_itself(&mut self, demand: &'p Demand, node: JsonRef<'_>, depth: u32) -> bool {
        match node.view() {
            JsonView::Null => demand.kinds.has(Kinds::NULL),
            JsonView::Boolean(_) => demand.kinds.has(Kinds::BOOLEAN),
            JsonView::Integer(integer) => demand.takes_integer(integer),
            JsonView::Float(float) => demand.takes_float(float),
            JsonView::String(text) => demand.takes_text(text),
            JsonView::Array(count) => {
                let fits = demand.kinds.has(Kinds::ARRAY) && demand.count.hold(count);
                fits && self.fits_items(demand, node, depth)
            }
            JsonView::Object(_) => {
                demand.kinds.has(Kinds::OBJECT) && self.fits_members(demand, node, depth)
            }
        }
    }

    fn fits_items(&mut self, demand: &'p Demand, node: JsonRef<'_>, depth: u32) -> bool {
        let Some(items) = demand.items else {
            return true;
        };
        let mut each = node.items();
        each.all(|item| self.fits(items, item, depth))
    }

    /// Returns `true` if the members match. Checks the member after the previous one first, because
    /// models usually send members in schema order.
    fn fits_members(&mut self, demand: &'p Demand, node: JsonRef<'_>, depth: u32) -> bool {
        let mut behind = demand.members.as_slice();
        let mut required = 0;
        for (name, value) in node.members() {
            let is_next = behind.first().is_some_and(|next| *next.name == *name);
            if !is_next {
                let place = demand.members.iter().position(|known| *known.name == *name);
                match place.and_then(|place| demand.members.get(place..)) {
                    Some(found) => behind = found,
                    None if demand.is_closed => return false,
                    None => {
                        self.is_plain = false;
                        continue;
                    }
                }
            }
            let Some((member, rest)) = behind.split_first() else {
                return false;
            };
            behind = rest;
            required += usize::from(member.is_required);
            if !self.fits(member.demand, value, depth) {
                return false;
            }
        }
        required == demand.required
    }
}

impl Demand {
    #[inline]
    pub(super) fn is_alone(&self) -> bool {
        self.all.is_empty() && self.any.is_empty()
    }

    #[inline]
    pub(super) fn takes_integer(&self, integer: i128) -> bool {
        self.kinds.has(Kinds::INTEGER) && (self.at_least..=self.at_most).contains(&integer)
    }

    /// Returns `true` if floats are allowed without bounds. Only the validator compares bounds
    /// exactly.
    fn takes_float(&self, float: f64) -> bool {
        self.kinds.has(kind_of_float(float))
            && self.at_least == i128::MIN
            && self.at_most == i128::MAX
    }

    #[inline]
    pub(super) fn takes_text(&self, text: &str) -> bool {
        let is_allowed = |choices: &Vec<Box<str>>| choices.iter().any(|choice| **choice == *text);
        self.kinds.has(Kinds::TEXT)
            && self.choices.as_ref().is_none_or(is_allowed)
            && (self.length.are_none() || self.length.hold(text.chars().count()))
    }
}

impl Bounds {
    #[inline]
    pub(super) fn are_none(self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    #[inline]
    pub(super) fn hold(self, size: usize) -> bool {
        self.least.is_none_or(|least| size >= least) && self.most.is_none_or(|most| size <= most)
    }
}

#[inline]
fn kind_of(node: JsonRef<'_>) -> Kinds {
    match node.view() {
        JsonView::Null => Kinds::NULL,
        JsonView::Boolean(_) => Kinds::BOOLEAN,
        JsonView::Integer(_) => Kinds::INTEGER,
        JsonView::Float(float) => kind_of_float(float),
        JsonView::String(_) => Kinds::TEXT,
        JsonView::Array(_) => Kinds::ARRAY,
        JsonView::Object(_) => Kinds::OBJECT,
    }
}

#[inline]
fn kind_of_float(float: f64) -> Kinds {
    if float.fract() == 0.0 {
        Kinds::INTEGER
    } else {
        Kinds::FRACTION
    }
}
