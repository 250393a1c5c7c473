//! The arguments of one call.

#[cfg(feature = "typed")]
use std::any::Any;
use std::{fmt, mem};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::alias::apply_aliases;
use super::coerce::{Wanted, coerce, may_coerce};
use super::defaults::Defaults;
#[cfg(feature = "typed")]
use super::memo::Memo;
use crate::json::parse::{ParseError, ParseLimits, parse_tape};
use crate::json::repair::read_tape;
#[cfg(feature = "typed")]
use crate::json::tape::Added;
use crate::json::tape::{Addition, Tape};
use crate::{Change, Node, ToolError};

/// From here on reading and checking arguments takes time that is worth measuring.
const LARGE_BYTES: usize = 4096;

/// The same for values that are no text.
const LARGE_VALUES: usize = 256;

/// The arguments of one call: parsed once, with defaults filled in.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Arguments;
///
/// let arguments = Arguments::from_value(json!({"path": "src", "limit": 5}));
/// assert_eq!(arguments.get("path").and_then(|path| path.as_str()), Some("src"));
/// assert_eq!(arguments.to_value(), json!({"path": "src", "limit": 5}));
/// ```
#[derive(Clone)]
pub struct Arguments<'a> {
    raw: &'a str,
    tape: Tape<'a>,
    state: State,
    #[cfg(feature = "typed")]
    memo: Memo,
}

/// What the arguments are compared with what came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The text still says what they are, and that they fit was seen when it was read.
    Checked,
    /// The text still says what they are.
    AsSent,
    /// The caller's value still is what they are.
    AsGiven,
    /// Something was changed, or nobody has what came any more.
    Apart,
}

/// What came, where it is what the arguments are now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent<'a> {
    /// The model's own text.
    Text(&'a str),
    /// The caller's value, which the caller has.
    Value,
}

impl<'a> Arguments<'a> {
    /// Reads the model's own text, and adds what was mended to `changes`.
    ///
    /// # Errors
    /// [`ParseError`] where the text is not JSON and cannot be mended without a guess.
    #[inline]
    pub(crate) fn read(
        text: &'a str,
        limits: &ParseLimits,
        changes: &mut Vec<Change>,
    ) -> Result<Self, ParseError> {
        let known = changes.len();
        let tape = read_tape(text, limits, changes)?;
        Ok(Self {
            raw: text,
            tape,
            state: if changes.len() == known {
                State::AsSent
            } else {
                State::Apart
            },
            #[cfg(feature = "typed")]
            memo: Memo::default(),
        })
    }

    /// Reads a text that was read before; null should it be none.
    pub(crate) fn read_again(text: &'a str) -> Self {
        let limits = ParseLimits {
            max_bytes: usize::MAX,
            max_values: usize::MAX,
            ..ParseLimits::default()
        };
        Self::of_tape(text, parse_tape(text, &limits).unwrap_or_default())
    }

    /// Arguments that lend their strings from `value`.
    ///
    /// # Errors
    /// [`ErrorCode::ArgumentsTooLarge`](crate::ErrorCode::ArgumentsTooLarge) where the value is deeper than a text may be.
    pub(crate) fn of_value(value: &'a Value, limits: &ParseLimits) -> Result<Self, ToolError> {
        match Tape::of_value(value, limits) {
            Ok(tape) => Ok(Self::of_tape("", tape)),
            Err(kind) => Err(ParseError::of_value(kind).into()),
        }
    }

    /// The same for a value that its caller keeps, and that is what is executed unless something is changed.
    ///
    /// # Errors
    /// As [`Arguments::of_value`].
    pub(crate) fn of_given(value: &'a Value, limits: &ParseLimits) -> Result<Self, ToolError> {
        let mut arguments = Self::of_value(value, limits)?;
        arguments.state = State::AsGiven;
        Ok(arguments)
    }

    /// Arguments that lend their strings from a value that was taken before.
    pub(crate) fn of_known(value: &'a Value) -> Self {
        Self::of_tape("", Tape::of_known_value(value))
    }

    /// Makes arguments of a value, for a call outside a registry.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers have a value that nobody else wants"
    )]
    pub fn from_value(value: Value) -> Self {
        Self::of_tape("", Tape::of_owned_value(&value))
    }

    /// Arguments without a member, for a model that sent `raw` and meant nothing by it.
    pub(crate) fn empty(raw: &'a str) -> Self {
        Self::of_tape(raw, Tape::of_no_members())
    }

    /// Arguments of which nothing was read yet.
    #[inline]
    pub(crate) fn blank() -> Self {
        Self::of_tape("", Tape::default())
    }

    /// Fills a blank one with the text `raw`, where `read` can read it into an empty tape and sees that it fits; says
    /// whether it does.
    #[inline]
    pub(crate) fn take_checked(
        &mut self,
        raw: &'a str,
        read: impl FnOnce(&mut Tape<'a>) -> bool,
    ) -> bool {
        let is_read = read(&mut self.tape);
        if is_read {
            self.raw = raw;
            self.state = State::Checked;
        }
        is_read
    }

    /// Whether these are known to fit, with nothing that would be ignored.
    #[inline]
    pub(crate) fn are_checked(&self) -> bool {
        self.state == State::Checked
    }

    fn of_tape(raw: &'a str, tape: Tape<'a>) -> Self {
        Self {
            raw,
            tape,
            state: State::Apart,
            #[cfg(feature = "typed")]
            memo: Memo::default(),
        }
    }

    /// The text that the model sent; empty when the caller gave a value.
    #[must_use]
    pub fn raw(&self) -> &str {
        self.raw
    }

    /// The whole of the arguments.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.tape.root()
    }

    /// The argument `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Node<'_>> {
        self.root().get(name)
    }

    /// Reads the arguments into a type.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArguments`](crate::ErrorCode::InvalidArguments) where the type is narrower than the schema.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        self.tape.deserialize().map_err(ToolError::from)
    }

    /// Leaves the room to the arguments of the next call on this thread.
    #[inline]
    pub(crate) fn give_back(self) {
        self.tape.give_back();
    }

    /// A copy as [`Value`].
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.root().to_value()
    }

    /// Whether a look at all of them takes more than a few microseconds.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.raw.len() > LARGE_BYTES || self.tape.values() > LARGE_VALUES
    }

    /// What came, where it says what the arguments are now.
    #[inline]
    pub(crate) fn as_sent(&self) -> Option<Sent<'a>> {
        match self.state {
            State::Checked | State::AsSent => Some(Sent::Text(self.raw)),
            State::AsGiven => Some(Sent::Value),
            State::Apart => None,
        }
    }

    /// Renames aliases to the parameters they stand for, and adds to `changes` which.
    ///
    /// # Errors
    /// Both names of a parameter were given.
    #[inline]
    pub(crate) fn rename_aliases(
        &mut self,
        aliases: &'a [(String, String)],
        changes: &mut Vec<Change>,
    ) -> Result<(), ToolError> {
        if aliases.is_empty() {
            return Ok(());
        }
        let known = changes.len();
        let outcome = apply_aliases(&mut self.tape, aliases, changes);
        if changes.len() != known {
            self.state = State::Apart;
        }
        outcome
    }

    /// Fills in what is absent and has a default.
    ///
    /// # Errors
    /// [`ErrorCode::ArgumentsTooLarge`](crate::ErrorCode::ArgumentsTooLarge) where that would be more values than a
    /// text may have.
    #[inline]
    pub(crate) fn fill_defaults(&mut self, defaults: &'a Defaults) -> Result<(), ToolError> {
        let additions = defaults.lacking(&self.tape).map_err(ParseError::of_value)?;
        self.add(additions);
        Ok(())
    }

    fn add(&mut self, additions: Vec<Addition<'a>>) {
        if !additions.is_empty() {
            self.tape = mem::take(&mut self.tape).with_members(additions);
            self.state = State::Apart;
        }
    }

    /// Whether [`Arguments::coerce`] may change something, by what the schema wants.
    pub(crate) fn may_coerce(&self, wanted: Wanted) -> bool {
        may_coerce(&self.tape, wanted)
    }

    /// Makes values fit their types where nothing is lost, and adds to `changes` which. What would become deeper
    /// than a text may be stays as it is.
    pub(crate) fn coerce(&mut self, schema: &Value, changes: &mut Vec<Change>) {
        let mut value = self.to_value();
        let coerced = coerce(&mut value, schema);
        if coerced.is_empty() {
            return;
        }
        let Ok(tape) = Tape::of_value(&value, &ParseLimits::default()) else {
            return;
        };
        self.tape = tape.into_owned();
        self.state = State::Apart;
        changes.extend(coerced);
    }
}

#[cfg(feature = "typed")]
impl Arguments<'_> {
    /// Looks at what `read` makes of the arguments. A type is read once; the next look, or [`Arguments::input`],
    /// gets the same.
    ///
    /// # Errors
    /// Those of `read`.
    pub(crate) fn look_at<I: Any + Send, R>(
        &self,
        read: impl FnOnce(&Self) -> Result<I, ToolError>,
        look: impl FnOnce(&I) -> R,
    ) -> Result<R, ToolError> {
        let input = match self.memo.take() {
            Some(input) => input,
            None => Box::new(read(self)?),
        };
        let seen = look(&input);
        self.memo.keep(input);
        Ok(seen)
    }

    /// What `read` makes of the arguments, or made of them before.
    ///
    /// # Errors
    /// Those of `read`.
    pub(crate) fn input<I: Any>(
        &self,
        read: impl FnOnce(&Self) -> Result<I, ToolError>,
    ) -> Result<I, ToolError> {
        self.memo
            .take()
            .map_or_else(|| read(self), |input| Ok(*input))
    }

    /// The members under the names that `name` gives them, without those that get none, and with `added`.
    ///
    /// The names must differ from each other and from those of `added`.
    pub(crate) fn renamed<'s>(
        &'s self,
        name: impl Fn(&'s str) -> Option<&'s str>,
        added: impl Iterator<Item = (&'s str, &'s Value)>,
    ) -> Arguments<'s> {
        let mut renamed = Arguments::of_tape("", self.tape.renamed(name));
        let additions = added.map(|(key, value)| Addition {
            object: 0,
            key,
            value: Added::Lent(value),
        });
        renamed.add(additions.collect());
        renamed
    }
}

impl PartialEq for Arguments<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw && self.root() == other.root()
    }
}

impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arguments")
            .field("raw", &self.raw)
            .field("value", &self.root())
            .finish_non_exhaustive()
    }
}
