//! Lists of tools, read leniently: an invalid tool does not affect the others.

use std::collections::HashSet;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tool_json::text::short;
use tracing::Instrument;

use super::risk::ToolClaims;
use crate::hygiene::{self, digest};
use crate::wire::{Failure, Link};

/// Maximum number of pages.
const MAX_PAGES: usize = 100;

/// Maximum number of listed tools.
const MAX_LISTED: usize = 2_000;

/// Maximum number of offered tools.
pub(crate) const MAX_TOOLS: usize = 500;

/// Maximum length of all descriptions of a server in characters.
const MAX_DESCRIPTIONS: usize = 64 * 1024;

/// Maximum length of a description and a title in characters.
const MAX_DESCRIPTION: usize = 2_048;
const MAX_TITLE: usize = 100;

/// Maximum size and depth of a schema.
const MAX_SCHEMA: usize = 256 * 1024;
const MAX_DEPTH: usize = 64;

/// Tool as listed by a server, cleaned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) claims: ToolClaims,
    /// Number of hidden characters removed from title and description.
    pub(crate) hidden: usize,
}

impl Listed {
    /// Returns our own tool that reads the resources of a server.
    pub(crate) fn reader(server: &str) -> Self {
        let uri = json!({"type": "string", "maxLength": MAX_DESCRIPTION, "description": "Address in a link of the server."});
        let schema = json!({"type": "object", "properties": {"uri": uri}, "required": ["uri"], "additionalProperties": false});
        Self {
            name: "read_resource".to_owned(),
            title: None,
            description: format!(
                "Returns the contents of a resource of the server `{server}`, such as one that a result links to. \
                 Web pages are no resources of it."
            ),
            input_schema: schema,
            output_schema: None,
            claims: ToolClaims::default(),
            hidden: 0,
        }
    }

    /// Returns the digest that identifies the definition. The order of members does not change it, because some
    /// servers list them in random order.
    pub(crate) fn digest(&self) -> String {
        let mut definition = self.to_value();
        definition.sort_all_objects();
        digest(&definition.to_string())
    }

    pub(crate) fn to_value(&self) -> Value {
        // Serialization of these types cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the names of the parts that differ from a reviewed definition.
    pub(crate) fn changes(&self, reviewed: &Self) -> Vec<String> {
        let reviewed = reviewed.to_value();
        let current = self.to_value();
        let parts = current.as_object().into_iter().flatten();
        let changed = parts.filter(|(name, part)| reviewed.get(name) != Some(part));
        changed.map(|(name, _)| name.replace('_', " ")).collect()
    }
}

/// Tool that is not offered.
///
/// # Examples
/// ```
/// # fn show(report: &tool_mcp::client::ServerReport) {
/// for tool in &report.omitted {
///     println!("{}: {}", tool.name, tool.reason);
/// }
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OmittedTool {
    /// Name of the tool on the server.
    pub name: String,
    /// Reason for the omission.
    pub reason: String,
}

impl OmittedTool {
    pub(crate) fn new(name: &str, reason: String) -> Self {
        Self {
            name: name.to_owned(),
            reason,
        }
    }
}

/// Tool that is hidden until its definition is accepted.
///
/// # Examples
/// ```
/// # async fn show(manager: &tool_mcp::McpManager, report: &tool_mcp::client::ServerReport) {
/// for tool in &report.hidden {
///     println!("{}: {}", tool.name, tool.changes.join(", "));
///     println!("before: {:?}\nnow: {}", tool.reviewed, tool.current);
///     // After a review by the user:
///     let accepted = manager.accept(&report.name, &tool.name, &tool.digest).await;
/// }
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HiddenTool {
    /// Name of the tool on the server.
    pub name: String,
    /// Parts of the definition that changed, or another reason for the review.
    pub changes: Vec<String>,
    /// Reviewed definition. `None` if the tool is new.
    pub reviewed: Option<Value>,
    /// Current definition, without hidden characters.
    pub current: Value,
    /// Digest of the current definition.
    pub digest: String,
}

/// Tools of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct List {
    pub(crate) tools: Vec<Listed>,
    pub(crate) omitted: Vec<OmittedTool>,
    pub(crate) warnings: Vec<String>,
}

/// Future on the heap, so that an idle connection does not reserve its space.
pub(crate) type Boxed<'b, T> = Pin<Box<dyn Future<Output = T> + Send + 'b>>;

/// Requests all pages of the list of a server.
pub(crate) fn request<'l>(server: &str, link: &'l Link) -> Boxed<'l, Result<List, Failure>> {
    let span = tracing::info_span!(
        "tools/list",
        otel.name = format!("tools/list {server}"),
        otel.kind = "client",
        mcp.method.name = "tools/list",
        mcp.protocol.version = link.protocol_version(),
    );
    Box::pin(pages(link).instrument(span))
}

async fn pages(link: &Link) -> Result<List, Failure> {
    let mut pages = Pages::default();
    let mut cursor = None;
    loop {
        cursor = pages.add(link.tools(cursor).await?)?;
        if cursor.is_none() {
            return Ok(pages.finish());
        }
    }
}

/// Pages received so far.
#[derive(Debug, Default)]
struct Pages {
    cursors: HashSet<String>,
    listed: Vec<Value>,
    warnings: Vec<String>,
}

impl Pages {
    /// Adds a page. Returns the cursor of the next one.
    fn add(&mut self, mut page: Value) -> Result<Option<String>, Failure> {
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(Failure::Invalid);
        };
        self.listed.extend(tools);
        let cursor = page.get("nextCursor").and_then(Value::as_str);
        let cursor = cursor.unwrap_or_default().to_owned();
        let end = if self.listed.len() > MAX_LISTED {
            self.listed.truncate(MAX_LISTED);
            format!("has more than {MAX_LISTED} tools; the others are omitted")
        } else if cursor.is_empty() {
            return Ok(None);
        } else if self.cursors.len() + 1 == MAX_PAGES {
            format!("has more than {MAX_PAGES} pages; the others are omitted")
        } else if self.cursors.insert(cursor.clone()) {
            return Ok(Some(cursor));
        } else {
            "repeats a cursor; it ends there".to_owned()
        };
        self.warnings.push(format!("The list {end}."));
        Ok(None)
    }

    fn finish(self) -> List {
        let mut list = List {
            warnings: self.warnings,
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
                Err(reason) => list.omitted.push(OmittedTool::new(&name, reason)),
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

/// Reads a tool. `budget` is the remaining length of all descriptions in characters.
///
/// # Errors
/// Returns the reason why the tool is omitted.
fn parse(tool: Value, budget: &mut usize, warnings: &mut Vec<String>) -> Result<Listed, String> {
    let Value::Object(mut tool) = tool else {
        return Err(format!("it is {}, not an object", shown(&tool)));
    };
    let Some(Value::String(name)) = tool.remove("name") else {
        return Err("it has no name".to_owned());
    };
    let mut reports = Reports {
        tool: &name,
        warnings,
        hidden: 0,
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
    let hidden = reports.hidden;
    let claims = ToolClaims::of(tool.get("annotations"));
    Ok(Listed {
        name,
        title,
        description,
        input_schema,
        output_schema,
        claims,
        hidden,
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
        Some(other) => {
            let other = shown(&other);
            return Err(format!("its inputSchema is {other}, not an object"));
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

fn shown(value: &Value) -> String {
    short(&value.to_string(), 40)
}

/// Warnings about one tool.
struct Reports<'r> {
    tool: &'r str,
    warnings: &'r mut Vec<String>,
    /// Number of removed hidden characters.
    hidden: usize,
}

impl Reports<'_> {
    fn warn(&mut self, warning: &str) {
        self.warnings
            .push(format!("The tool \"{}\": {warning}.", self.tool));
    }

    fn clean(&mut self, label: &str, text: &str, limit: usize) -> String {
        let cleaned = hygiene::clean(text, limit);
        self.hidden += cleaned.hidden;
        if cleaned.hidden + cleaned.cut > 0 {
            let (hidden, cut) = (cleaned.hidden, cleaned.cut);
            self.warn(&format!(
                "{hidden} hidden characters of the {label} were removed, and {cut} others truncated"
            ));
        }
        cleaned.text
    }
}

#[cfg(test)]
mod tests;
