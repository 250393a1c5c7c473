//! Holding arguments against a plan.

use super::{Bounds, Demand, Kinds, Plan};
use crate::Node;
use crate::json::NodeView;

/// Demands looked at for one call; a schema that wants more is for the validator.
const MOST_STEPS: u32 = 100_000;
/// Demands inside each other, more than values can be; a schema that only refers to itself has no end.
const MOST_DEPTH: u32 = 512;

impl Plan {
    /// Whether `arguments` fit for sure.
    pub(in crate::schema) fn surely_fits(&self, arguments: Node<'_>) -> bool {
        let mut check = Check {
            plan: self,
            steps: MOST_STEPS,
        };
        check.fits(0, arguments, MOST_DEPTH)
    }
}

struct Check<'p> {
    plan: &'p Plan,
    /// Steps that are left.
    steps: u32,
}

impl Check<'_> {
    fn fits(&mut self, demand: usize, node: Node<'_>, depth: u32) -> bool {
        let (Some(steps), Some(depth)) = (self.steps.checked_sub(1), depth.checked_sub(1)) else {
            return false;
        };
        self.steps = steps;
        let Some(demand) = self.plan.demands.get(demand) else {
            return false;
        };
        self.fits_itself(demand, node, depth)
            && demand.all.iter().all(|also| self.fits(*also, node, depth))
            && demand.any.iter().all(|group| {
                let mut group = group.iter();
                group.any(|either| self.fits(*either, node, depth))
            })
    }

    #[inline]
    fn fits_itself(&mut self, demand: &Demand, node: Node<'_>, depth: u32) -> bool {
        match node.view() {
            NodeView::Null => demand.kinds.has(Kinds::NULL),
            NodeView::Boolean => demand.kinds.has(Kinds::BOOLEAN),
            NodeView::Integer(integer) => {
                demand.kinds.has(Kinds::INTEGER)
                    && demand.at_least.is_none_or(|least| integer >= least)
                    && demand.at_most.is_none_or(|most| integer <= most)
            }
            NodeView::Float(float) => {
                let is_whole = float.fract() == 0.0;
                let kind = if is_whole {
                    Kinds::INTEGER
                } else {
                    Kinds::FRACTION
                };
                demand.kinds.has(kind) && demand.at_least.is_none() && demand.at_most.is_none()
            }
            NodeView::Text(text) => demand.takes_text(text),
            NodeView::Array(count) => {
                demand.kinds.has(Kinds::ARRAY)
                    && demand.count.hold(count)
                    && demand.items.is_none_or(|items| {
                        let mut each = node.items();
                        each.all(|item| self.fits(items, item, depth))
                    })
            }
            NodeView::Object => {
                demand.kinds.has(Kinds::OBJECT) && self.fits_members(demand, node, depth)
            }
        }
    }

    /// Whether the members fit. Models send them in the order of the schema as a rule, so the search for one begins
    /// behind the one before.
    fn fits_members(&mut self, demand: &Demand, node: Node<'_>, depth: u32) -> bool {
        let known = &demand.members;
        let (mut next, mut required) = (0, 0);
        for (name, value) in node.members() {
            let (before, behind) = known.split_at_checked(next).unwrap_or((known, &[]));
            let found = behind
                .iter()
                .chain(before)
                .position(|member| *member.name == *name);
            let Some(steps) = found else {
                if demand.is_closed {
                    return false;
                }
                continue;
            };
            let place = (next + steps) % known.len();
            next = (place + 1) % known.len();
            let Some(member) = known.get(place) else {
                return false;
            };
            required += usize::from(member.is_required);
            if !self.fits(member.demand, value, depth) {
                return false;
            }
        }
        required == demand.required
    }
}

impl Demand {
    fn takes_text(&self, text: &str) -> bool {
        let is_allowed = |choices: &Vec<Box<str>>| choices.iter().any(|choice| **choice == *text);
        self.kinds.has(Kinds::TEXT)
            && self.choices.as_ref().is_none_or(is_allowed)
            && (self.length.are_none() || self.length.hold(text.chars().count()))
    }
}

impl Bounds {
    fn are_none(self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    fn hold(self, size: usize) -> bool {
        self.least.is_none_or(|least| size >= least) && self.most.is_none_or(|most| size <= most)
    }
}
