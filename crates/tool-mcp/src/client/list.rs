//! Lists of tools, read leniently: an invalid tool does not affect the others.

mod definition;

use std::collections::HashSet;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tracing::Instrument;

use self::definition::{name_of, parse};
use super::risk::ToolClaims;
use crate::hygiene::digest;
use crate::wire::{Failure, Link};

/// Code of the failure if the result of a server is not a list: `Internal error` of JSON-RPC.
const NOT_A_LIST: i32 = -32_603;

/// Maximum number of pages.
const MAX_PAGES: usize = 100;

/// Maximum number of listed tools.
const MAX_LISTED: usize = 2_000;

/// Maximum number of offered tools.
pub(crate) const MAX_TOOLS: usize = 500;

/// Maximum length of all descriptions of a server in characters.
const MAX_DESCRIPTIONS: usize = 64 * 1024;

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

impl HiddenTool {
    pub(crate) fn new(current: &Listed, reviewed: Option<&Listed>, changes: Vec<String>) -> Self {
        Self {
            name: current.name.clone(),
            changes,
            reviewed: reviewed.map(Listed::to_value),
            current: current.to_value(),
            digest: current.digest(),
        }
    }
}

/// Tools of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct List {
    pub(crate) tools: Vec<Listed>,
    pub(crate) omitted: Vec<OmittedTool>,
    pub(crate) warnings: Vec<String>,
    /// Digest of the list as sent.
    pub(crate) digest: [u8; 32],
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
    count: usize,
    cursors: HashSet<String>,
    listed: Vec<Value>,
    warnings: Vec<String>,
    hasher: Sha256,
}

impl Pages {
    /// Adds a page. Returns the cursor of the next one.
    fn add(&mut self, mut page: Value) -> Result<Option<String>, Failure> {
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(Failure::Server {
                code: NOT_A_LIST,
                message: "the result is not a list".to_owned(),
            });
        };
        self.count += 1;
        for tool in tools {
            if self.listed.len() == MAX_LISTED {
                self.warnings.push(format!(
                    "The list has more than {MAX_LISTED} tools; the others are omitted."
                ));
                return Ok(None);
            }
            // Hash what was sent, not what we keep: a list that is the same needs no review.
            self.hasher.update(tool.to_string());
            self.listed.push(tool);
        }
        Ok(self.next_cursor(page.get_mut("nextCursor").map(Value::take)))
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
                Err(reason) => list.omitted.push(OmittedTool::new(&name, reason)),
            }
        }
        list
    }
}

#[cfg(test)]
mod tests;
