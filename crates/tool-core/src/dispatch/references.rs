//! References to stored outputs in arguments. Step 2 replaces them by what they refer to, so every later step, and every
//! record, sees the value that the tool gets.

use std::time::Duration;

use serde_json::{Map, Value};

use super::record::Record;
use super::settings::Settings;
use super::steps::limits;
use super::stop::guarded_wait;
use crate::catalog::Entry;
use crate::output_store::{OutputHandle, OutputStore, StoreError};
use crate::validation_issue::path_of;
use crate::{ArgumentChange, Arguments, ChangeKind, ErrorCode, ToolError};

/// Key of the handle.
const FROM: &str = "$from";

/// Maximum number of references of a call.
const MAX_REFERENCES: usize = 16;

/// Bytes of a stored output that are read at once, and in total if a selector takes a part of it.
const PAGE_BYTES: usize = 1024 * 1024;
const MAX_READ: usize = 64 * 1024 * 1024;

const TIMEOUT: Duration = Duration::from_secs(10);

/// Advice for a reference of another form.
const FORM: &str = "Write {\"$from\": \"<handle>\"}, with at most one of \"pointer\", \"lines\": [first, last] and \"query\".";

/// Replaces the references in the arguments of a call, unless the tool has a parameter of this form.
pub(super) async fn resolve<'c>(
    entry: &Entry,
    arguments: &mut Arguments<'c>,
    settings: &Settings,
    record: &mut Record<'c, '_>,
) -> Result<(), ToolError> {
    let Some(store) = settings.output_store.as_deref() else {
        return Ok(());
    };
    let (mut value, mut found) = (arguments.to_value(), Vec::new());
    find(&value, &mut String::new(), &mut found);
    let schema = entry.definition().input_schema();
    if found.is_empty() || schema.to_string().contains(FROM) {
        return Ok(());
    }
    if found.len() > MAX_REFERENCES {
        let sentence = format!(
            "has {} references; at most {MAX_REFERENCES} are allowed",
            found.len()
        );
        return Err(ToolError::invalid_arguments(FROM, sentence).suggest("Split the call."));
    }
    let changes = &mut record.metadata().changes;
    let mut left = settings.argument_bytes;
    for pointer in found {
        left -= replace(&mut value, pointer, store, left, changes).await?;
    }
    // The levels of a stored value add to those above it.
    Arguments::of_value(&value, &limits(settings))?;
    *arguments = Arguments::from_value(value);
    record.is_delayed = true;
    Ok(())
}

/// Replaces one reference. Returns the size of the value, which is at most `limit`.
async fn replace(
    arguments: &mut Value,
    pointer: String,
    store: &dyn OutputStore,
    limit: usize,
    changes: &mut Vec<ArgumentChange>,
) -> Result<usize, ToolError> {
    let Some(place) = arguments.pointer_mut(&pointer) else {
        return Ok(0);
    };
    let given = place.take();
    let at = path_of(&pointer);
    let reference = Reference::parse(&at, &given)?;
    let (value, size) = reference.value(store, limit).await?;
    *place = value;
    let to = format!("{size} bytes").into();
    changes.push(ArgumentChange::new(
        pointer,
        ChangeKind::Reference,
        given,
        to,
    ));
    Ok(size)
}

/// Adds the pointers of all objects with the key of a handle below the arguments themselves. Their depth was bounded when
/// they were parsed.
fn find(value: &Value, at: &mut String, found: &mut Vec<String>) {
    let is_root = at.is_empty();
    let mut below = |name: &str, value: &Value, found: &mut Vec<String>| {
        let length = at.len();
        at.push('/');
        at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        find(value, at, found);
        at.truncate(length);
    };
    match value {
        Value::Object(members) if members.contains_key(FROM) && !is_root => {
            found.push(at.clone());
        }
        Value::Object(members) => members
            .iter()
            .for_each(|(name, value)| below(name, value, found)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| below(&index.to_string(), value, found));
        }
        _ => {}
    }
}

/// A part of a stored output instead of a value.
struct Reference<'r> {
    /// Path of the reference, for errors.
    at: &'r str,
    handle: OutputHandle,
    part: Part<'r>,
}

enum Part<'r> {
    Whole,
    /// The value at a JSON pointer.
    Pointer(&'r str),
    /// Lines from the first to the last, counted from 1.
    Lines(usize, usize),
    /// The lines that contain a string.
    Query(&'r str),
}

impl<'r> Reference<'r> {
    fn parse(at: &'r str, value: &'r Value) -> Result<Self, ToolError> {
        let invalid = |sentence: &str| ToolError::invalid_arguments(at, sentence).suggest(FORM);
        let members = value
            .as_object()
            .ok_or_else(|| invalid("is no reference"))?;
        let handle = members.get(FROM).and_then(Value::as_str);
        let handle = handle.and_then(|text| OutputHandle::parse(text.trim()));
        let handle =
            handle.ok_or_else(|| invalid("has no handle of a stored output in `$from`"))?;
        let part = part(members).map_err(invalid)?;
        Ok(Self { at, handle, part })
    }

    /// Returns the value and its size, which is at most `limit`.
    async fn value(
        &self,
        store: &dyn OutputStore,
        limit: usize,
    ) -> Result<(Value, usize), ToolError> {
        let most = if let Part::Whole = self.part {
            limit
        } else {
            MAX_READ
        };
        let reading = guarded_wait(Ok(Box::pin(self.text(store, most))));
        let text = match tokio::time::timeout(TIMEOUT, reading).await {
            Ok(Ok(text)) => text?,
            Ok(Err(_)) | Err(_) => return Err(self.unreadable()),
        };
        let value = self.selected(text)?;
        let size = value
            .as_str()
            .map_or_else(|| value.to_string().len(), str::len);
        if size > limit {
            return Err(self.too_large(limit));
        }
        Ok((value, size))
    }

    async fn text(&self, store: &dyn OutputStore, most: usize) -> Result<String, ToolError> {
        let (mut text, mut offset) = (String::new(), Some(0));
        while let Some(at) = offset {
            let page = store.read(&self.handle, at, PAGE_BYTES).await;
            let page = page.map_err(|error| match error {
                StoreError::Unknown => self.error(
                    "refers to no stored output",
                    "It may have expired; run that call again.",
                ),
                error => self.unreadable().caused_by(error),
            })?;
            // Before the next page is read, and even if the store states a wrong total.
            if page.total > most as u64 || text.len() + page.content.len() > most {
                return Err(self.too_large(most));
            }
            text.push_str(&page.content);
            offset = page.next_offset();
            if offset == Some(at) {
                return Err(self.unreadable());
            }
        }
        Ok(text)
    }

    fn selected(&self, text: String) -> Result<Value, ToolError> {
        let lines: String = match self.part {
            Part::Whole => return Ok(text.into()),
            Part::Pointer(pointer) => return self.pointed_to(pointer, &text),
            Part::Lines(first, last) => {
                let lines = text.split_inclusive('\n').take(last);
                lines.skip(first - 1).collect()
            }
            Part::Query(query) => {
                let lines = text.split_inclusive('\n');
                lines.filter(|line| line.contains(query)).collect()
            }
        };
        if lines.is_empty() {
            let count = text.split_inclusive('\n').count();
            let sentence = format!("selects none of the {count} lines of the stored output");
            return Err(self.error(&sentence, "Read the stored output to find the lines."));
        }
        Ok(lines.into())
    }

    fn pointed_to(&self, pointer: &str, text: &str) -> Result<Value, ToolError> {
        let value = serde_json::from_str::<Value>(text).map_err(|_| {
            let sentence = "has a pointer, but the stored output is no JSON";
            self.error(sentence, "Use \"lines\" or \"query\".")
        })?;
        let advice = "Read the stored output to find its keys.";
        let found = value.pointer(pointer).cloned();
        found.ok_or_else(|| self.error("has a pointer to nothing", advice))
    }

    fn error(&self, sentence: &str, advice: &str) -> ToolError {
        ToolError::invalid_arguments(self.at, sentence).suggest(advice)
    }

    fn unreadable(&self) -> ToolError {
        self.error(
            "refers to an output that cannot be read",
            "Run that call again.",
        )
    }

    fn too_large(&self, limit: usize) -> ToolError {
        let sentence = format!("refers to more than {limit} bytes, which is the limit");
        ToolError::about(ErrorCode::ArgumentsTooLarge, self.at, sentence).suggest(match self.part {
            Part::Whole => "Take a part with \"pointer\", \"lines\" or \"query\".",
            _ => "Take a smaller part, or run that call again for a smaller output.",
        })
    }
}

/// Returns the selector next to the handle.
///
/// # Errors
/// Says what is wrong with the selector.
fn part(members: &Map<String, Value>) -> Result<Part<'_>, &'static str> {
    let mut selectors = members.iter().filter(|(name, _)| *name != FROM);
    let Some((name, value)) = selectors.next() else {
        return Ok(Part::Whole);
    };
    if selectors.next().is_some() {
        return Err("has several selectors");
    }
    match (name.as_str(), value) {
        ("pointer", Value::String(pointer)) => Ok(Part::Pointer(pointer)),
        ("query", Value::String(query)) if !query.is_empty() => Ok(Part::Query(query)),
        ("lines", Value::Array(ends)) => lines(ends).ok_or(
            "has `lines` that are no range: the first must be at least 1, and the last not before it",
        ),
        _ => Err("has another selector"),
    }
}

fn lines(ends: &[Value]) -> Option<Part<'_>> {
    let [first, last] = ends else {
        return None;
    };
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let (first, last) = (number(first)?, number(last)?);
    (1 <= first && first <= last).then_some(Part::Lines(first, last))
}
