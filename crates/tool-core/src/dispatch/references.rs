//! References to stored outputs in arguments. Step 2 replaces them by what they refer to, so every later step, and every
//! record, sees the value that the tool gets.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

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
    let reference = Reference::parse(path_of(&pointer), &given)?;
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

/// A part of a stored output instead of a value, with at most one selector.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    /// Path of the reference, for errors.
    #[serde(skip)]
    at: String,
    #[serde(rename = "$from")]
    handle: OutputHandle,
    /// The value at a JSON pointer.
    pointer: Option<String>,
    /// Lines from the first to the last, counted from 1.
    lines: Option<(usize, usize)>,
    /// The lines that contain a string.
    query: Option<String>,
}

impl Reference {
    fn parse(at: String, given: &Value) -> Result<Self, ToolError> {
        match Self::deserialize(given).ok().filter(Self::is_valid) {
            Some(reference) => Ok(Self { at, ..reference }),
            None => Err(ToolError::invalid_arguments(&at, "is no valid reference").suggest(FORM)),
        }
    }

    fn is_valid(&self) -> bool {
        match (&self.pointer, self.lines, &self.query) {
            (_, None, None) => true,
            (None, Some((first, last)), None) => 1 <= first && first <= last,
            (None, None, Some(query)) => !query.is_empty(),
            _ => false,
        }
    }

    fn is_whole(&self) -> bool {
        self.pointer.is_none() && self.lines.is_none() && self.query.is_none()
    }

    /// Returns the value and its size, which is at most `limit`.
    async fn value(
        &self,
        store: &dyn OutputStore,
        limit: usize,
    ) -> Result<(Value, usize), ToolError> {
        let most = if self.is_whole() { limit } else { MAX_READ };
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
        if let Some(pointer) = &self.pointer {
            return self.pointed_to(pointer, &text);
        }
        let all = text.split_inclusive('\n');
        let lines: String = match (self.lines, &self.query) {
            (Some((first, last)), _) => all.take(last).skip(first - 1).collect(),
            (None, Some(query)) => all.filter(|line| line.contains(query)).collect(),
            (None, None) => return Ok(text.into()),
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
        ToolError::invalid_arguments(&self.at, sentence).suggest(advice)
    }

    fn unreadable(&self) -> ToolError {
        self.error(
            "refers to an output that cannot be read",
            "Run that call again.",
        )
    }

    fn too_large(&self, limit: usize) -> ToolError {
        let sentence = format!("refers to more than {limit} bytes, which is the limit");
        let advice = if self.is_whole() {
            "Take a part with \"pointer\", \"lines\" or \"query\"."
        } else {
            "Take a smaller part, or run that call again for a smaller output."
        };
        ToolError::about(ErrorCode::ArgumentsTooLarge, &self.at, sentence).suggest(advice)
    }
}
