//! Changes of definitions since their review.

mod schema;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::list::Listed;
use super::risk::Claims;
use crate::hexadecimal::hexadecimal;

/// Minimum number of added characters of a suspicious description.
const MAX_GROWTH: usize = 500;

/// Minimum length of a tool name that is searched in descriptions. Shorter ones are common words.
const MIN_NAME: usize = 6;

/// Phrases that instruct the model about other calls.
const INSTRUCTIONS: [&str; 14] = [
    "<important>",
    "<system",
    "always call",
    "always use this",
    "before any other",
    "before calling",
    "before using",
    "do not mention",
    "do not tell",
    "don't mention",
    "don't tell",
    "ignore previous",
    "instead of the tool",
    "must first",
];

/// Locations of credentials.
const CREDENTIALS: [&str; 10] = [
    "/etc/passwd",
    "/etc/shadow",
    ".aws",
    ".env",
    ".kube",
    ".netrc",
    ".npmrc",
    ".ssh",
    "id_rsa",
    "mcp.json",
];

/// Words in the names of parameters that collect the context of the model.
const CONTEXT: [&str; 7] = [
    "conversation",
    "chat_history",
    "message_history",
    "previous_messages",
    "sidenote",
    "system_message",
    "system_prompt",
];

/// Definition as reviewed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reviewed {
    #[serde(default)]
    title: Option<String>,
    description: String,
    input_schema: Value,
    #[serde(default)]
    output_schema: Option<Value>,
    #[serde(default)]
    read_only: Option<bool>,
    #[serde(default)]
    destructive: Option<bool>,
    /// Number of removed hidden characters.
    #[serde(default)]
    hidden: usize,
    #[serde(default)]
    idempotent: Option<bool>,
    #[serde(default)]
    open_world: Option<bool>,
}

impl Reviewed {
    pub(crate) fn of(listed: &Listed) -> Self {
        Self {
            title: listed.title.clone(),
            description: listed.description.clone(),
            input_schema: listed.input_schema.clone(),
            output_schema: listed.output_schema.clone(),
            read_only: listed.claims.read_only,
            destructive: listed.claims.destructive,
            hidden: listed.hidden,
            idempotent: listed.claims.idempotent,
            open_world: listed.claims.open_world,
        }
    }

    /// Returns the definition as listed.
    pub(crate) fn to_listed(&self, name: &str) -> Listed {
        Listed {
            name: name.to_owned(),
            title: self.title.clone(),
            description: self.description.clone(),
            input_schema: self.input_schema.clone(),
            output_schema: self.output_schema.clone(),
            claims: Claims {
                read_only: self.read_only,
                destructive: self.destructive,
                idempotent: self.idempotent,
                open_world: self.open_world,
            },
            hidden: self.hidden,
        }
    }

    /// Returns the digest that identifies the definition.
    pub(crate) fn digest(&self) -> String {
        let text = json!([
            self.title,
            self.description,
            self.input_schema,
            self.output_schema,
            self.read_only,
            self.destructive,
            self.hidden
        ])
        .to_string();
        hexadecimal(&Sha256::digest(text))
    }
}

/// Returns the changes that require a review: calls that were possible before would fail, or the
/// definition means something else. Other changes are accepted.
///
/// `others` are the names of tools of other servers.
pub(crate) fn changes(old: &Reviewed, new: &Reviewed, others: &BTreeSet<&str>) -> Vec<String> {
    let mut changes = schema::input_changes(&old.input_schema, &new.input_schema);
    match (&old.output_schema, &new.output_schema) {
        (Some(_), None) => changes.push("the output schema was removed".to_owned()),
        (Some(old), Some(new)) => changes.extend(schema::output_changes(old, new)),
        (None, _) => {}
    }
    if new.read_only == Some(true) && old.read_only != Some(true) {
        changes.push("the tool now claims to be read-only".to_owned());
    }
    if new.destructive == Some(false) && old.destructive != Some(false) {
        changes.push("the tool no longer claims to be destructive".to_owned());
    }
    if new.hidden > old.hidden {
        changes.push("hidden characters were added".to_owned());
    }
    changes.extend(text_changes(&all_text(old), &all_text(new), others));
    changes.extend(context_parameters(old, new));
    changes
}

/// Returns all text for the model: title, description and descriptions in the input schema.
fn all_text(reviewed: &Reviewed) -> String {
    let mut text = reviewed.title.clone().unwrap_or_default();
    text.push('\n');
    text.push_str(&reviewed.description);
    schema::descriptions(&reviewed.input_schema, &mut text);
    text
}

fn text_changes(old: &str, new: &str, others: &BTreeSet<&str>) -> Vec<String> {
    let mut changes = Vec::new();
    let (before, after) = (old.chars().count(), new.chars().count());
    if after > before.saturating_mul(2) && after >= before.saturating_add(MAX_GROWTH) {
        changes.push(format!(
            "the description grew from {before} to {after} characters"
        ));
    }
    let (old, new) = (old.to_lowercase(), new.to_lowercase());
    let added = |phrase: &&&str| new.contains(**phrase) && !old.contains(**phrase);
    if let Some(phrase) = INSTRUCTIONS.iter().find(added) {
        changes.push(format!(
            "the description now instructs the model: \"{phrase}\""
        ));
    }
    if let Some(place) = CREDENTIALS.iter().find(added) {
        changes.push(format!("the description now mentions `{place}`"));
    }
    let names = |text: &str, name: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
            .any(|word| word == name)
    };
    let other = others.iter().find(|name| {
        let name = name.to_lowercase();
        name.len() >= MIN_NAME && names(&new, &name) && !names(&old, &name)
    });
    if let Some(name) = other {
        changes.push(format!(
            "the description now names `{name}` of another server"
        ));
    }
    changes
}

fn context_parameters(old: &Reviewed, new: &Reviewed) -> Vec<String> {
    let names = schema::names(&new.input_schema);
    let known = schema::names(&old.input_schema);
    let collects = |name: &&String| {
        let name = name.to_lowercase();
        CONTEXT.iter().any(|word| name.contains(word))
    };
    let added = names.iter().filter(|name| !known.contains(*name));
    added
        .filter(collects)
        .map(|name| format!("the new parameter \"{name}\" collects the conversation"))
        .collect()
}

#[cfg(test)]
mod tests;
