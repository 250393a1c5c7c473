//! Lists of tools, read leniently: an invalid tool does not affect the others.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::hygiene;
use super::risk::Claims;
use crate::wire::{Link, RequestError};

/// Maximum number of pages.
const MAX_PAGES: usize = 100;

/// Maximum number of listed tools.
const MAX_LISTED: usize = 2_000;

/// Maximum number of offered tools.
pub(crate) const MAX_TOOLS: usize = 500;

/// Maximum length of a description and a title in characters.
const MAX_DESCRIPTION: usize = 2_048;
const MAX_TITLE: usize = 100;

/// Maximum length of all descriptions of a server in characters.
const MAX_DESCRIPTIONS: usize = 64 * 1024;

/// Maximum size and depth of a schema.
const MAX_SCHEMA: usize = 256 * 1024;
const MAX_DEPTH: usize = 64;

/// Tool as listed by a server, cleaned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) claims: Claims,
}

/// Tools of a server.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub(crate) tools: Vec<Listed>,
    /// Names of the omitted tools, with reasons.
    pub(crate) omitted: Vec<(String, String)>,
    pub(crate) warnings: Vec<String>,
    /// Digest of the list as sent.
    pub(crate) digest: [u8; 32],
}

/// Reason for a missing list.
#[derive(Debug)]
pub(crate) enum ListError {
    Request(RequestError),
    /// The result is not a list of tools.
    NotAList,
}

/// Requests all pages of the list.
pub(crate) async fn request(link: &Link) -> Result<List, ListError> {
    let mut pages = Pages::default();
    let mut cursor = None;
    loop {
        let page = link
            .tools(cursor.as_deref())
            .await
            .map_err(ListError::Request)?;
        match pages.add(page)? {
            Some(next) => cursor = Some(next),
            None => return Ok(pages.finish()),
        }
    }
}

/// Pages received so far.
#[derive(Debug, Default)]
struct Pages {
    count: usize,
    cursors: HashSet<String>,
    listed: Vec<Value>,
    warnings: Vec<String>,
    hasher: Sha256,
}

impl Pages {
    /// Adds a page. Returns the cursor of the next one.
    fn add(&mut self, page: Value) -> Result<Option<String>, ListError> {
        let Value::Object(mut page) = page else {
            return Err(ListError::NotAList);
        };
        let Some(Value::Array(tools)) = page.remove("tools") else {
            return Err(ListError::NotAList);
        };
        self.count += 1;
        for tool in tools {
            if self.listed.len() == MAX_LISTED {
                self.warnings.push(format!(
                    "The list has more than {MAX_LISTED} tools; the others are omitted."
                ));
                return Ok(None);
            }
            self.hasher.update(tool.to_string());
            self.listed.push(tool);
        }
        Ok(self.next_cursor(page.remove("nextCursor")))
    }

    fn next_cursor(&mut self, cursor: Option<Value>) -> Option<String> {
        let Some(Value::String(cursor)) = cursor else {
            return None;
        };
        if cursor.is_empty() {
            return None;
        }
        if self.count == MAX_PAGES {
            self.warnings.push(format!(
                "The list has more than {MAX_PAGES} pages; the others are omitted."
            ));
            return None;
        }
        if !self.cursors.insert(cursor.clone()) {
            self.warnings
                .push("The list repeats a cursor; it ends there.".to_owned());
            return None;
        }
        Some(cursor)
    }

    fn finish(self) -> List {
        let mut list = List {
            warnings: self.warnings,
            digest: self.hasher.finalize().into(),
            ..List::default()
        };
        let mut names = HashSet::new();
        let mut budget = MAX_DESCRIPTIONS;
        for tool in self.listed {
            let name = name_of(&tool);
            let parsed = if !names.insert(name.clone()) {
                Err("another tool of the server has the same name".to_owned())
            } else if list.tools.len() == MAX_TOOLS {
                Err(format!("at most {MAX_TOOLS} tools of a server are offered"))
            } else {
                parse(tool, &mut budget, &mut list.warnings)
            };
            match parsed {
                Ok(tool) => list.tools.push(tool),
                Err(reason) => list.omitted.push((name, reason)),
            }
        }
        list
    }
}

/// Returns the name of a tool, or a placeholder for reports.
fn name_of(tool: &Value) -> String {
    let name = tool.get("name").and_then(Value::as_str);
    name.map_or_else(
        || "(no name)".to_owned(),
        |name| hygiene::clean(name, 256).text,
    )
}

fn parse(tool: Value, budget: &mut usize, warnings: &mut Vec<String>) -> Result<Listed, String> {
    let Value::Object(mut tool) = tool else {
        return Err(format!("it is {}, not an object", kind(&tool)));
    };
    let Some(Value::String(name)) = tool.remove("name") else {
        return Err("it has no name".to_owned());
    };
    let mut reports = Reports {
        tool: &name,
        warnings,
    };
    let input_schema = input_schema(tool.remove("inputSchema"), &mut reports)?;
    let output_schema = output_schema(tool.remove("outputSchema"), &mut reports);
    let title = title(&mut tool).map(|title| reports.clean("title", &title, MAX_TITLE));
    let description = match tool.remove("description") {
        Some(Value::String(text)) => {
            reports.clean("description", &text, MAX_DESCRIPTION.min(*budget))
        }
        _ => String::new(),
    };
    *budget = budget.saturating_sub(description.chars().count());
    let claims = Claims::of(tool.get("annotations"));
    Ok(Listed {
        name,
        title,
        description,
        input_schema,
        output_schema,
        claims,
    })
}

fn title(tool: &mut Map<String, Value>) -> Option<String> {
    let own = tool.remove("title");
    let title = own.or_else(|| tool.get("annotations")?.get("title").cloned());
    title?.as_str().map(str::to_owned)
}

fn input_schema(schema: Option<Value>, reports: &mut Reports<'_>) -> Result<Value, String> {
    let mut schema = match schema {
        None => return Err("it has no inputSchema".to_owned()),
        Some(Value::Object(schema)) => schema,
        Some(Value::Bool(flag)) => return Err(format!("its inputSchema is {flag}, not an object")),
        Some(other) => {
            return Err(format!(
                "its inputSchema is {}, not an object",
                kind(&other)
            ));
        }
    };
    for absent in ["required", "properties"] {
        if schema.get(absent).is_some_and(Value::is_null) {
            schema.shift_remove(absent);
            reports.warn(&format!(
                "`{absent}` of the inputSchema is null and is ignored"
            ));
        }
    }
    match schema.get("type") {
        None => {
            schema.insert("type".to_owned(), json!("object"));
            reports.warn("the inputSchema has no type and is treated as an object");
        }
        Some(Value::String(kind)) if kind == "object" => {}
        Some(other) => {
            return Err(format!(
                "its inputSchema has the type {other}, not \"object\""
            ));
        }
    }
    checked(Value::Object(schema), "inputSchema", reports)
}

fn output_schema(schema: Option<Value>, reports: &mut Reports<'_>) -> Option<Value> {
    let schema = schema.filter(Value::is_object)?;
    match checked(schema, "outputSchema", reports) {
        Ok(schema) => Some(schema),
        Err(reason) => {
            reports.warn(&format!("{reason}; it is ignored"));
            None
        }
    }
}

/// Checks size and depth of a schema, and cleans its descriptions.
fn checked(mut schema: Value, label: &str, reports: &mut Reports<'_>) -> Result<Value, String> {
    if depth(&schema) > MAX_DEPTH {
        return Err(format!("its {label} has more than {MAX_DEPTH} levels"));
    }
    if schema.to_string().len() > MAX_SCHEMA {
        return Err(format!(
            "its {label} has more than {} KiB",
            MAX_SCHEMA / 1024
        ));
    }
    let hidden = |path| format!("its {label} has hidden characters in a name or value at `{path}`");
    let changed = hygiene::clean_schema(&mut schema).map_err(hidden)?;
    if changed > 0 {
        reports.warn(&format!(
            "{changed} descriptions of the {label} were cleaned or truncated"
        ));
    }
    Ok(schema)
}

/// Depth of a value. Parsed messages have at most 128 levels.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or_default()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Warnings about one tool.
struct Reports<'r> {
    tool: &'r str,
    warnings: &'r mut Vec<String>,
}

impl Reports<'_> {
    fn warn(&mut self, warning: &str) {
        self.warnings
            .push(format!("The tool \"{}\": {warning}.", self.tool));
    }

    fn clean(&mut self, label: &str, text: &str, limit: usize) -> String {
        let cleaned = hygiene::clean(text, limit);
        if cleaned.hidden > 0 {
            self.warn(&format!(
                "{} hidden characters of the {label} were removed",
                cleaned.hidden
            ));
        }
        if cleaned.cut > 0 {
            self.warn(&format!(
                "the {label} was truncated by {} characters",
                cleaned.cut
            ));
        }
        cleaned.text
    }
}

#[cfg(test)]
mod tests;
