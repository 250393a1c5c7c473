//! Lists of tools, read leniently: an invalid tool does not affect the others.

mod definition;

use std::collections::HashSet;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tracing::Instrument;

use self::definition::{name_of, parse};
use super::risk::Claims;
use crate::wire::{Link, RequestError};

/// Maximum number of pages.
const MAX_PAGES: usize = 100;

/// Maximum number of listed tools.
const MAX_LISTED: usize = 2_000;

/// Maximum number of offered tools.
pub(crate) const MAX_TOOLS: usize = 500;

/// Maximum length of all descriptions of a server in characters.
const MAX_DESCRIPTIONS: usize = 64 * 1024;

/// Tool as listed by a server, cleaned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) claims: Claims,
    /// Number of hidden characters removed from title and description.
    pub(crate) hidden: usize,
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

/// Requests all pages of the list of a server.
pub(crate) async fn request(server: &str, link: &Link) -> Result<List, ListError> {
    let span = tracing::info_span!(
        "tools/list",
        otel.name = format!("tools/list {server}"),
        otel.kind = "client",
        mcp.method.name = "tools/list",
        mcp.protocol.version = link.protocol_version(),
    );
    pages(link).instrument(span).await
}

async fn pages(link: &Link) -> Result<List, ListError> {
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

#[cfg(test)]
mod tests;
