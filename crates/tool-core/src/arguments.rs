//! Parsed arguments of a call.

#[cfg(feature = "validate")]
mod coerce;
#[cfg(feature = "validate")]
pub(crate) mod defaults;

use std::mem;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_json::{Addition, ParseError, ParseLimits, Tape, parse_with, repair_with};

use crate::{ArgumentChange, ChangeKind, JsonRef, ToolError, ValidationIssue};

/// Larger JSON takes a measurable time to parse and validate.
const LARGE_BYTES: usize = 4096;

/// Limit for arguments passed as a value.
const LARGE_VALUES: usize = 256;

/// Arguments of one call: parsed once, with defaults filled in.
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
}

/// Relation between the arguments and their source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Equal to the text, and validated while it was parsed.
    Checked,
    /// Equal to the text.
    SameAsText,
    /// Equal to the caller's value.
    SameAsValue,
    /// Changed, or the source is not available.
    Modified,
}

/// Source of unchanged arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentSource<'a> {
    /// Text sent by the model.
    Text(&'a str),
    /// Value kept by the caller.
    Value,
}

impl<'a> Arguments<'a> {
    /// Parses the model's text and adds repairs to `changes`.
    ///
    /// # Errors
    /// Returns [`ParseError`] if the text is not JSON and cannot be repaired unambiguously.
    #[inline]
    pub(crate) fn read(
        text: &'a str,
        limits: &ParseLimits,
        changes: &mut Vec<ArgumentChange>,
    ) -> Result<Self, ParseError> {
        let (tape, repairs) = repair_with(text, limits)?;
        let mut arguments = Self::of_tape(text, tape);
        if repairs.is_empty() {
            arguments.state = State::SameAsText;
        }
        changes.extend(repairs.into_iter().map(ArgumentChange::from));
        Ok(arguments)
    }

    /// Parses JSON that was parsed before; invalid JSON becomes null.
    pub(crate) fn read_again(text: &'a str) -> Self {
        // The text was accepted before, perhaps with limits that the host has raised.
        let limits = ParseLimits {
            max_bytes: usize::MAX,
            max_values: usize::MAX,
            ..ParseLimits::default()
        };
        Self::of_tape(text, parse_with(text, &limits).unwrap_or_default())
    }

    /// Creates arguments that borrow their strings from `value`.
    ///
    /// # Errors
    /// Returns [`ErrorCode::ArgumentsTooLarge`](crate::ErrorCode::ArgumentsTooLarge) if the value
    /// exceeds the nesting limit.
    pub(crate) fn of_value(value: &'a Value, limits: &ParseLimits) -> Result<Self, ToolError> {
        Ok(Self::of_tape("", Tape::from_value(value, limits)?))
    }

    /// Like [`Arguments::of_value`], but records that the caller keeps `value`.
    pub(crate) fn of_caller_value(
        value: &'a Value,
        limits: &ParseLimits,
    ) -> Result<Self, ToolError> {
        let mut arguments = Self::of_value(value, limits)?;
        arguments.state = State::SameAsValue;
        Ok(arguments)
    }

    /// Creates arguments that borrow their strings from a value that was accepted before.
    pub(crate) fn of_known(value: &'a Value) -> Self {
        Self::of_tape("", Tape::from(value))
    }

    /// Creates arguments from a value, for calls outside a registry.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers have no further use for the value"
    )]
    pub fn from_value(value: Value) -> Self {
        Self::of_tape("", Tape::from(&value).into_owned())
    }

    /// Creates empty arguments for a `raw` text without meaning.
    pub(crate) fn empty(raw: &'a str) -> Self {
        Self::of_tape(raw, tool_json::parse("{}").unwrap_or_default())
    }

    /// Creates arguments to be filled by [`Arguments::fill_checked`].
    #[inline]
    pub(crate) fn blank() -> Self {
        Self::of_tape("", Tape::default())
    }

    /// Fills blank arguments with the text `raw`. `read` parses it into an empty tape and returns
    /// whether it is valid. Returns whether the arguments were filled.
    #[inline]
    pub(crate) fn fill_checked(
        &mut self,
        raw: &'a str,
        read: impl FnOnce(&mut Tape<'a>) -> bool,
    ) -> bool {
        // The text is kept only if it is accepted. Otherwise it is parsed again, with repairs.
        let is_read = read(&mut self.tape);
        if is_read {
            self.raw = raw;
            self.state = State::Checked;
        }
        is_read
    }

    /// Returns `true` if the arguments are valid and no member would be ignored.
    #[inline]
    pub(crate) fn are_checked(&self) -> bool {
        self.state == State::Checked
    }

    fn of_tape(raw: &'a str, tape: Tape<'a>) -> Self {
        Self {
            raw,
            tape,
            state: State::Modified,
        }
    }

    /// Returns the text sent by the model, or an empty string if the caller passed a value.
    pub fn raw(&self) -> &str {
        self.raw
    }

    /// Returns the root of the arguments.
    pub fn root(&self) -> JsonRef<'_> {
        self.tape.root()
    }

    /// Returns the argument `name`.
    pub fn get(&self, name: &str) -> Option<JsonRef<'_>> {
        self.root().get(name)
    }

    /// Deserializes the arguments.
    ///
    /// # Errors
    /// Returns [`ErrorCode::InvalidArguments`](crate::ErrorCode::InvalidArguments) if `T` is
    /// narrower than the schema.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        self.tape.deserialize().map_err(ToolError::from)
    }

    /// Recycles the buffers for the next call on this thread.
    #[inline]
    pub(crate) fn give_back(self) {
        self.tape.recycle();
    }

    /// Copies the arguments to a [`Value`].
    pub fn to_value(&self) -> Value {
        self.root().to_value()
    }

    /// Returns `true` if reading the arguments takes more than a few microseconds.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.raw.len() > LARGE_BYTES || self.tape.size() > LARGE_VALUES
    }

    /// Returns the source of the arguments if they equal it.
    #[inline]
    pub(crate) fn unchanged_source(&self) -> Option<ArgumentSource<'a>> {
        match self.state {
            State::Checked | State::SameAsText => Some(ArgumentSource::Text(self.raw)),
            State::SameAsValue => Some(ArgumentSource::Value),
            State::Modified => None,
        }
    }

    /// Renames aliases to their parameters and adds the changes to `changes`.
    ///
    /// # Errors
    /// Returns an error if a parameter is passed under both names.
    #[inline]
    pub(crate) fn rename_aliases(
        &mut self,
        aliases: &'a [(String, String)],
        changes: &mut Vec<ArgumentChange>,
    ) -> Result<(), ToolError> {
        if aliases.is_empty() {
            return Ok(());
        }
        let known = changes.len();
        let outcome = apply_aliases(&mut self.tape, aliases, changes);
        // Even if a later alias fails, because the tape is changed already.
        if changes.len() != known {
            self.state = State::Modified;
        }
        outcome
    }

    /// Replaces null and blank text with empty arguments and adds the change to `changes`. Models and gateways send them
    /// for a tool without parameters.
    pub(crate) fn null_to_empty(&mut self, changes: &mut Vec<ArgumentChange>) {
        let root = self.tape.root();
        let is_blank = |text: &str| matches!(text.trim(), "" | "null");
        if !root.is_null() && !root.as_str().is_some_and(is_blank) {
            return;
        }
        let (from, to) = (root.to_value(), Value::Object(serde_json::Map::new()));
        changes.push(ArgumentChange::new("", ChangeKind::NullToAbsent, from, to));
        *self = Self::empty(self.raw);
    }

    fn add(&mut self, additions: Vec<Addition<'a>>) {
        if !additions.is_empty() {
            self.tape = mem::take(&mut self.tape).with_members(additions);
            self.state = State::Modified;
        }
    }
}

impl PartialEq for Arguments<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw && self.root() == other.root()
    }
}

debug_fields!(Arguments<'_>, this => raw: this.raw, value: this.root());

/// Renames aliases to their parameters. Passing both names is an error.
fn apply_aliases<'t>(
    tape: &mut Tape<'t>,
    aliases: &'t [(String, String)],
    changes: &mut Vec<ArgumentChange>,
) -> Result<(), ToolError> {
    for (alias, parameter) in aliases {
        let Some((list, name)) = alias.split_once("/*/") else {
            apply_alias(tape, (0, String::new()), alias, parameter, changes)?;
            continue;
        };
        for object in objects_of(tape, list) {
            apply_alias(tape, object, name, parameter, changes)?;
        }
    }
    Ok(())
}

/// Returns the position and the pointer of each object in a list.
fn objects_of(tape: &Tape<'_>, list: &str) -> Vec<(usize, String)> {
    let items = tape.root().get(list).into_iter().flat_map(JsonRef::items);
    let pointer = |index| format!("/{list}/{index}");
    let objects = items.enumerate().filter(|(_, item)| item.is_object());
    objects
        .map(|(index, item)| (tape.position(item), pointer(index)))
        .collect()
}

fn apply_alias<'t>(
    tape: &mut Tape<'t>,
    (object, pointer): (usize, String),
    alias: &'t str,
    parameter: &'t str,
    changes: &mut Vec<ArgumentChange>,
) -> Result<(), ToolError> {
    let members = tape.at(object);
    if members.get(alias).is_none() {
        return Ok(());
    }
    // Which of the two values is meant? The model has to say, because either choice may be wrong.
    if members.get(parameter).is_some() {
        let expected = format!("given as `{parameter}` only");
        let issue = ValidationIssue::new(pointer, "alias", expected, "both names");
        return Err(ToolError::from_issues(vec![issue.with_property(alias)]));
    }
    tape.rename_member(object, alias, parameter);
    changes.push(ArgumentChange::new(
        format!("{pointer}/{parameter}"),
        ChangeKind::Alias,
        alias.into(),
        parameter.into(),
    ));
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
