//! Bounded reading of cases, one per line.

use std::io::{BufRead, Read};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use tool_core::{CallArguments, ErrorCode, ErrorReport, ToolError};

use crate::failure::Failure;

/// Maximum length of a line in bytes.
const MAX_LINE: u64 = 32 * 1024 * 1024;

/// Parsed case, or an error.
pub(crate) type Line<C = Case> = Result<C, Box<Unreadable>>;

/// Case parsed from a JSON object with an `id` on one line.
pub(crate) trait FromLine: Sized {
    /// Description of the line format.
    const FORM: &'static str;

    /// Parses the members of the object.
    fn from_members(id: Value, members: Value) -> Result<Self, String>;
}

/// Call to run or to check.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: Value,
    pub(crate) tool: String,
    pub(crate) arguments: CallArguments,
    pub(crate) timeout_ms: Option<u64>,
}

/// Result for a line that cannot be parsed.
#[derive(Debug, Serialize)]
pub(crate) struct Unreadable {
    id: Value,
    error: ErrorReport,
}

#[derive(Deserialize)]
struct Members {
    tool: String,
    #[serde(default, deserialize_with = "even_null")]
    arguments: Option<Value>,
    text: Option<String>,
    timeout_ms: Option<u64>,
}

/// Distinguishes an explicit null from a missing member.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Returns the cases of `source`, line by line. Skips blank lines.
pub(crate) fn cases<C: FromLine>(
    mut source: impl BufRead,
) -> impl Iterator<Item = Result<Line<C>, Failure>> {
    std::iter::from_fn(move || next_line(&mut source).transpose()).filter_map(|line| match line {
        Ok(Written::Blank) => None,
        Ok(Written::Text(text)) => Some(Ok(read(&text))),
        Ok(Written::Wrong(why)) => Some(Ok(Err(Unreadable::new::<C>(Value::Null, why)))),
        Err(failure) => Some(Err(failure)),
    })
}

enum Written {
    Blank,
    Text(String),
    Wrong(&'static str),
}

fn next_line(source: &mut impl BufRead) -> Result<Option<Written>, Failure> {
    let unreadable = |error| Failure::input("standard input", error);
    let mut bytes = Vec::new();
    let read = Read::take(&mut *source, MAX_LINE)
        .read_until(b'\n', &mut bytes)
        .map_err(unreadable)?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && u64::try_from(read).is_ok_and(|read| read == MAX_LINE) {
        source.skip_until(b'\n').map_err(unreadable)?;
        return Ok(Some(Written::Wrong("it is longer than 32 MB")));
    }
    Ok(Some(match String::from_utf8(bytes) {
        Ok(text) if text.trim().is_empty() => Written::Blank,
        Ok(text) => Written::Text(text),
        Err(_) => Written::Wrong("it is not UTF-8"),
    }))
}

fn read<C: FromLine>(line: &str) -> Line<C> {
    let line = line.trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(line)
        .map_err(|error| Unreadable::new::<C>(Value::Null, error.to_string()))?;
    if !value.is_object() {
        return Err(Unreadable::new::<C>(Value::Null, "it is not an object"));
    }
    let id = value.get("id").cloned().unwrap_or_default();
    C::from_members(id.clone(), value).map_err(|why| Unreadable::new::<C>(id, why))
}

impl FromLine for Case {
    const FORM: &'static str =
        "Write one JSON object per line, with `id`, `tool`, and `arguments` or `text`.";

    fn from_members(id: Value, members: Value) -> Result<Self, String> {
        let members = Members::deserialize(members).map_err(|error| error.to_string())?;
        let arguments = match (members.arguments, members.text) {
            (Some(_), Some(_)) => return Err("it has both `arguments` and `text`".to_owned()),
            (Some(arguments), None) => CallArguments::from(arguments),
            (None, Some(text)) => CallArguments::Text(text),
            (None, None) => CallArguments::Value(Value::Object(serde_json::Map::new())),
        };
        Ok(Self {
            id,
            tool: members.tool,
            arguments,
            timeout_ms: members.timeout_ms,
        })
    }
}

impl Unreadable {
    fn new<C: FromLine>(id: Value, why: impl std::fmt::Display) -> Box<Self> {
        let code = ErrorCode::Other("unreadable_line".into());
        let error =
            ToolError::new(code, format!("The line cannot be read: {why}")).suggest(C::FORM);
        let error = error.report().clone();
        Box::new(Self { id, error })
    }
}
