//! Parses JSON text and checks it against a plan in one pass, which is sufficient for most calls.

use tool_json::reader::{Reader, Start, read_with};
use tool_json::{ParseLimits, Tape};

use super::{Check, Constraints, Member, Plan, TypeSet};

impl Plan {
    /// Parses `text` into an empty tape. Returns `true` if it is a JSON object that matches the
    /// plan and has only listed members, and `false` if any of this is uncertain.
    #[inline]
    pub(in crate::schema) fn read<'t>(
        &'t self,
        text: &'t str,
        limits: &ParseLimits,
        tape: &mut Tape<'t>,
    ) -> bool {
        let mut check = Check::new(self);
        read_with(text, limits, tape, |reader, start| match start.first {
            b'{' => check.read(0, reader, start, limits.max_depth),
            _ => None,
        })
    }
}

impl<'p> Check<'p> {
    /// Reads a value that matches a demand and returns its end.
    fn read(
        &mut self,
        constraints: usize,
        reader: &mut Reader<'_, 'p>,
        start: Start,
        levels: usize,
    ) -> Option<usize> {
        let known = self.plan.schemas.get(constraints)?;
        match start.first {
            b'{' if known.lists_members() => {
                self.read_members(known, reader, start, levels.checked_sub(1)?)
            }
            b'[' if known.lists_items() => {
                self.read_items(known, reader, start, levels.checked_sub(1)?)
            }
            _ => match known.read_scalar(reader, start) {
                Scalar::Fits(end) => Some(end),
                Scalar::Unsure => None,
                Scalar::Other => self.read_any(constraints, reader, start, levels),
            },
        }
    }

    /// Reads a value, then checks it.
    fn read_any(
        &mut self,
        constraints: usize,
        reader: &mut Reader<'_, 'p>,
        start: Start,
        levels: usize,
    ) -> Option<usize> {
        let place = reader.position();
        let end = reader.value(start, levels)?;
        self.is_plain_fit(constraints, reader.get(place))
            .then_some(end)
    }

    fn read_members(
        &mut self,
        constraints: &'p Constraints,
        reader: &mut Reader<'_, 'p>,
        start: Start,
        levels: usize,
    ) -> Option<usize> {
        let mut expected = Expected {
            members: &constraints.members,
            ..Expected::default()
        };
        let end = reader.members(start, |reader, start| {
            let member = expected.next(reader.rest(start))?;
            let value = reader.key(start, &member.name)?;
            // Most members are scalars. For these, a call costs more than the work.
            let known = self.plan.schemas.get(member.constraints)?;
            match known.read_scalar(reader, value) {
                Scalar::Fits(end) => Some(end),
                Scalar::Unsure => None,
                Scalar::Other => self.read(member.constraints, reader, value, levels),
            }
        })?;
        (expected.required == constraints.required).then_some(end)
    }

    fn read_items(
        &mut self,
        constraints: &'p Constraints,
        reader: &mut Reader<'_, 'p>,
        start: Start,
        levels: usize,
    ) -> Option<usize> {
        let (items, mut count) = (constraints.items?, 0);
        let end = reader.array(start, |reader, start| {
            count += 1;
            self.read(items, reader, start, levels)
        })?;
        constraints.count.hold(count).then_some(end)
    }
}

impl Constraints {
    /// Reads a short integer or a string, if `start` begins one.
    #[inline]
    fn read_scalar(&self, reader: &mut Reader<'_, '_>, start: Start) -> Scalar {
        let (end, fits) = match start.first {
            b'-' | b'0'..=b'9' => match reader.short_integer(start) {
                Some((integer, end)) => (Some(end), self.allows_integer(integer.into())),
                None => return Scalar::Other,
            },
            b'"' if self.has_only_type => (reader.string(start), self.types.has(TypeSet::STRING)),
            b'"' => (self.read_text(reader, start), true),
            _ => return Scalar::Other,
        };
        match end {
            Some(end) if fits => Scalar::Fits(end),
            _ => Scalar::Unsure,
        }
    }

    fn read_text(&self, reader: &mut Reader<'_, '_>, start: Start) -> Option<usize> {
        let place = reader.position();
        let end = reader.string(start)?;
        let text = reader.get(place).as_str()?;
        self.allows_text(text).then_some(end)
    }

    fn lists_members(&self) -> bool {
        self.types.has(TypeSet::OBJECT)
    }

    fn lists_items(&self) -> bool {
        self.types.has(TypeSet::ARRAY) && self.items.is_some()
    }
}

/// The result of reading a scalar.
enum Scalar {
    /// A matching scalar and its end.
    Fits(usize),
    /// A scalar that may not match.
    Unsure,
    /// Not a scalar.
    Other,
}

/// The members that an object's schema lists.
#[derive(Default)]
struct Expected<'p> {
    members: &'p [Member],
    /// Index after the previous member. Models usually send members in schema order.
    position: usize,
    /// A bit per member already read. A plan has at most 64 members per object.
    seen: u64,
    /// Number of required members read.
    required: usize,
}

impl<'p> Expected<'p> {
    /// Returns the member whose key starts `text`, unless it was already read.
    #[inline]
    fn next(&mut self, text: &[u8]) -> Option<&'p Member> {
        let is_key = |member: &Member| {
            member
                .quoted
                .as_ref()
                .is_some_and(|key| text.starts_with(key.as_bytes()))
        };
        let place = match self.members.get(self.position) {
            Some(member) if is_key(member) => self.position,
            _ => self.members.iter().position(is_key)?,
        };
        let bit = 1_u64.checked_shl(u32::try_from(place).ok()?)?;
        if self.seen & bit != 0 {
            return None;
        }
        self.seen |= bit;
        self.position = place + 1;
        let member = self.members.get(place)?;
        self.required += usize::from(member.is_required);
        Some(member)
    }
}

#[cfg(test)]
mod tests;
